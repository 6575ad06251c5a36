# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench-selftest.py BUILD FOLDER: the benchmark on an operator of nothing, in FOLDER.

Times mean nothing here, for the machine may be busy: baselines are planted that no time
could reach."""
import contextlib
import io
import json
import pathlib
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools" / "bench"))

import jsonschema  # noqa: E402
import numpy as np  # noqa: E402
import report as reports  # noqa: E402
import run  # noqa: E402
import workloads  # noqa: E402

BUILD, FOLDER = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
SCHEMA = json.loads((REPOSITORY / "tools" / "bench" / "report.schema.json").read_text())
REPORT = FOLDER / "report.json"


@workloads.micro("contraction", m=20, k=30, n=40)
def tiny(g, m, k, n):
    return g.output(g.op("MatMul", g.input("a", (m, k)), g.weight((k, n))))


def bench(*options):
    """(exit code, report, what was printed) of the benchmark on `tiny`."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        code = run.main(["tiny", "--fusec", str(BUILD / "bin" / "fusec"), "--folder",
                         str(FOLDER / "models"), "--repeat", "1", "--json", str(REPORT),
                         *map(str, options)])
    report = json.loads(REPORT.read_text())
    jsonschema.validate(report, SCHEMA)
    return code, report, printed.getvalue()


def check_report():
    """With ONNX Runtime as the one peer, and moved dimensions."""
    table, picture = FOLDER / "tables" / "cpu.md", FOLDER / "chart.svg"
    code, report, text = bench("--peers", "ort", "--perturb", "1", "--table", table, "--chart",
                               picture)
    assert not any(row["failure"] for row in report["workloads"]), text
    plain, moved = report["workloads"]
    assert plain["ratio"] > 0 and plain["best_peer"] == "ort" and plain["rounds"] == 1, plain
    assert plain["flops"] == 2 * 20 * 30 * 40 and plain["fraction"] > 0, plain
    assert plain["bytes"] == 4 * (20 * 30 + 30 * 40 + 20 * 40), plain
    for key, extent in moved["dims"].items():
        assert extent % 4 and abs(extent - plain["dims"][key]) <= 0.07 * plain["dims"][key], moved
    assert "| tiny |" in table.read_text() and "tiny_moved</text>" in picture.read_text()
    jsonschema.validate(json.loads(table.with_suffix(".json").read_text()), SCHEMA)
    return report


def scaled(row, factor):
    """The row with all ratios `factor` times as high."""
    ratios = {name: {peer: ratio * factor for peer, ratio in peers.items()}
              for name, peers in row["ratios"].items()}
    return dict(row, ratio=row["ratio"] * factor, ratios=ratios)


def check_regressions(report):
    """Against baselines that no time reaches, and that all times reach."""
    row, moved = report["workloads"]
    for factor, fell in ((1e6, True), (1.12, True), (1.1, False), (1e-6, False)):
        found = reports.regressions([row], {"tiny": scaled(row, factor)})
        assert bool(found) == fell, (factor, found)
    for factor, fell in ((0.88, True), (0.92, False)):
        moved = dict(scaled(row, factor), name="tiny_moved")
        found = reports.regressions([row, moved], {})
        assert bool(found) == fell, (factor, found)

    baseline = FOLDER / "baseline.json"
    baseline.write_text(json.dumps(dict(report, workloads=[scaled(row, 1e6)])))
    code, _, text = bench("--peers", "ort", "--baseline", baseline)
    assert code == 1 and "tiny: 100% slower against the same peers" in text, (code, text)
    baseline.write_text("{}")
    try:
        bench("--peers", "", "--baseline", baseline)
    except SystemExit as end:
        assert end.code == 4, end.code
    else:
        raise AssertionError("a baseline that is none is not seen")


def check_wrong():
    """With other numbers for ONNX Runtime's: nobody is right, and nobody is timed."""
    path = FOLDER / "models" / "tiny" / "expected_0.npy"
    expected = np.load(path)
    expected[3, 5] += 0.1
    np.save(path, expected)
    code, report, text = bench("--peers", "")
    row = report["workloads"][0]
    assert code == 1 and "| tiny | WRONG |" in text, (code, text)
    for result in row["results"].values():
        assert "wrong: output matmul_2: 1 of 800 elements differ" in result["failure"], result
        assert "ms" not in result


check_regressions(check_report())
check_wrong()
