# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds a JSON text against a schema of tools/fusec/schemas.

  validate.py SCHEMA < TEXT
"""
import json
import pathlib
import sys

import jsonschema

schema = json.loads(pathlib.Path(sys.argv[1]).read_text())
jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.Draft202012Validator(schema).validate(json.load(sys.stdin))
print("valid")
