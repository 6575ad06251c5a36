#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes language.onnx, a naive Bayes classifier: a row of a table for each pair of
letters holds how likely the pair is in each language, as logarithms; a text's rows are
summed. Needs numpy and onnx."""
import pathlib

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, save

# In the order of text/Pairs.h.
TEXTS = [
    """The wind was cold and the house stood alone on the hill. She had been waiting for
    them since the morning, with nothing to read but the newspaper that somebody left on
    the table. What they would say when they came through the door she could not think of;
    it should have been easy. There is always another train, he told her, which was true
    but did not help. Every child knows how the story ends and wants to hear it again.""",
    """Der Wind war kalt und das Haus stand allein auf dem Berg. Seit dem Morgen wartete
    sie auf die anderen und hatte nichts zu lesen als die Zeitung, die jemand auf dem Tisch
    vergessen hatte. Was sie sagen sollte, wenn die Kinder durch die Tuer kamen, wusste sie
    nicht; es haette einfach sein sollen. Es gibt immer noch einen Zug, sagte er, und das
    war richtig, aber es half nicht. Jedes Kind kennt das Ende der Geschichte.""",
    """Le vent etait froid et la maison se trouvait seule sur la colline. Elle les attendait
    depuis le matin, sans rien a lire que le journal que quelqu'un avait laisse sur la
    table. Ce qu'elle dirait quand ils passeraient la porte, elle ne le savait pas ; cela
    aurait du etre facile. Il y a toujours un autre train, lui dit il, ce qui etait vrai
    mais ne servait a rien. Tous les enfants connaissent la fin de cette histoire.""",
    """El viento era frio y la casa estaba sola en la colina. Ella los esperaba desde la
    manana, sin nada que leer salvo el periodico que alguien habia dejado en la mesa. Lo
    que diria cuando llegaran a la puerta no lo sabia; tendria que haber sido facil. Siempre
    hay otro tren, le dijo el, lo cual era verdad pero no ayudaba. Todos los ninos conocen
    el final de este cuento y quieren oirlo otra vez."""]


def pairs_of(text):
    """As text/Pairs.h."""
    pairs, last = [], 0
    for c in text.lower():
        letter = ord(c) - ord("a") + 1 if "a" <= c <= "z" else 0
        if letter or last:
            pairs.append(1 + last * 27 + letter)
            last = letter
    return pairs


counts = np.full((1 + 27 * 27, len(TEXTS)), 0.3)
for language, text in enumerate(TEXTS):
    np.add.at(counts, (pairs_of(text), language), 1)
table = np.log(counts / counts[1:].sum(axis=0)).astype(np.float32)
table[0] = 0  # behind the end of the text

graph = helper.make_graph(
    [helper.make_node("Gather", ["table", "pairs"], ["rows"]),
     helper.make_node("ReduceSum", ["rows", "over"], ["scores"], keepdims=0)],
    "language",
    [helper.make_tensor_value_info("pairs", TensorProto.INT64, ["letters"])],
    [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [len(TEXTS)])],
    [numpy_helper.from_array(table, "table"),
     numpy_helper.from_array(np.int64([0]), "over")])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
checker.check_model(model, full_check=True)
save(model, pathlib.Path(__file__).parent / "language.onnx")
