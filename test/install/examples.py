# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples: built against the install tree, run, and checked."""
import concurrent.futures
import re
import shutil
import socket
import subprocess
import sys

import numpy as np
import onnxruntime

import carried
from support import (EXAMPLES, REPOSITORY, Project, Failure, fake_driver, fresh, require,
                     run)

TEXTS = {"English": "What is the name of the street where they lived?",
         "German": "Wie heisst die Strasse, in der sie gewohnt haben?",
         "French": "Comment s'appelle la rue dans laquelle ils habitaient ?",
         "Spanish": "Como se llama la calle en la que vivian ellos?"}


def readme_project(folder):
    """Writes what the README says to write, and its model."""
    section = (REPOSITORY / "README.md").read_text().split("\n## Link it\n")[1]
    section = section.split("\n## ")[0]
    for name, kind in (("CMakeLists.txt", "cmake"), ("main.cpp", "cpp")):
        block = re.search(rf"```{kind}\n(.*?)```", section, re.S)
        require(block, f"README.md shows no {name}")
        (folder / name).write_text(block.group(1))
    shutil.copy(REPOSITORY / "test/pipelines/Inputs/mlp.mlir", folder)


def superproject(folder, fusec):
    """One project with all examples as subfolders, and a copy of them to change."""
    names = ["decoder", "deform_conv", "digits", "edges", "gpu", "language", "layer_norm",
             "matmul_scale", "row_softmax", "rules", "stream", "swoosh", "server", "tutorial"]
    for name in names:
        shutil.copytree(EXAMPLES / name, folder / name)
    (folder / "readme").mkdir()
    readme_project(folder / "readme")
    # Folders that fusec emitted fit in beside them, with and without a runtime.
    emitted = ["alone", "with_package"]
    for name, runtime in zip(emitted, ("bundled", "installed")):
        run(fusec, "compile", folder / "readme/mlp.mlir", "-o", folder / name, "--name",
            name, "--runtime", runtime)
    names = [*emitted, *names, "readme"]
    # Operators that launch kernels of their own, and that kernels call, where there is a GPU.
    lines = ['set(MATMUL_SCALE_TARGETS "cpu;cuda-sm80" CACHE STRING "")',
             'set(ROW_SOFTMAX_TARGETS "cpu;cuda-sm80" CACHE STRING "")']
    lines += [f"add_subdirectory({name})" for name in names]
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(all LANGUAGES C CXX)\n" +
        "\n".join(lines) + "\n")


def check_digits(build, runner=()):
    models = build / "digits/fusec"
    text = run(*runner, build / "digits/digits_demo", EXAMPLES / "digits",
               models / "digits", models / "digits_unfused")
    require("same answer for 320 of 320" in text, text)


def check_tutorial(build, runner=()):
    text = run(*runner, build / "tutorial/tutorial_demo", build / "tutorial/fusec")
    for level in range(4):
        require(f"level {level}: 36 x 10 scores" in text, text)
    require(text.count("the bits of level 0") >= 2, text)
    apart = [float(a) for a in re.findall(r"at most (\S+) apart", text)]
    require(len(apart) == 4 and max(apart) < 1e-4, text)


def require_edges(pictures):
    """Of a picture and its edges, as ONNX Runtime finds them."""
    picture, edges = (np.array([[c == "#" for c in line] for line in lines.split()])
                      for lines in pictures)
    session = onnxruntime.InferenceSession(EXAMPLES / "edges/edges.onnx")
    expected, = session.run(None, {"picture": picture[None, None].astype(np.float32)})
    require(picture.any() and edges.any(), "an empty picture")
    require((edges == (expected[0, 0] > 0.5)).all(), "other edges than ONNX Runtime's")


def check_edges(build, runner=()):
    text = run(*runner, build / "edges/edges_demo", build / "edges/fusec/edges/weights.bin")
    require_edges(text.split("\n\n")[:2])


def check_matmul_scale(build, runner=()):
    text = run(*runner, build / "matmul_scale/matmul_scale_demo")
    require(text.strip() == "y[0][0] = 17", text)


def check_row_softmax(build, runner=()):
    text = run(*runner, build / "row_softmax/row_softmax_demo",
               build / "row_softmax/fusec/softmaxed/weights.bin")
    require("the first row sums to 3.000" in text, text)


def check_swoosh(build, runner=()):
    text = run(*runner, build / "swoosh/swoosh_demo",
               build / "swoosh/fusec/swooshed/weights.bin")
    require("y[0][0] = -0.0523" in text, text)


def check_layer_norm(build, runner=()):
    text = run(*runner, build / "layer_norm/layer_norm_demo",
               build / "layer_norm/fusec/normed/weights.bin")
    norm = -1 * 0.5 - 1
    expected = np.log(1 + np.exp(norm - 1)) - 0.08 * norm
    require(abs(float(text.split("=")[1]) - expected) < 1e-3, text)


def check_deform_conv(build, runner=()):
    text = run(*runner, build / "deform_conv/deform_conv_demo", build / "deform_conv/fusec")
    require(text.strip().endswith("the same"), text)


def check_rules(build, runner=()):
    text = run(*runner, build / "rules/rules_demo", build / "rules/fusec")
    session = onnxruntime.InferenceSession(EXAMPLES / "rules/classifier.onnx")
    x = np.sin(0.7 * np.arange(8 * 16)).astype(np.float32).reshape(8, 16)
    labels, = session.run(None, {"x": x})
    require(text.strip() == " ".join(map(str, labels)) + " with the rules and without", text)


def check_decoder(build, runner=()):
    prompt = "Once upon a time, there was"
    text = run(*runner, build / "decoder/decoder_demo", build / "decoder/fusec/decoder/weights.bin",
               prompt, "60")
    written, said = text.splitlines()
    expected = carried.continue_text(EXAMPLES / "decoder/decoder.onnx", prompt, 60)
    require(written == expected, f"wrote {written}, not {expected}")
    require(re.search(r"^\d+ tokens a second; .* and 262152 of states, of which it writes 8 anew$",
                      said), said)


def check_stream(build, runner=()):
    samples = [0.5, -1.0, 2.0, 0.25]
    lines = [str(sample) for sample in samples]
    text = run(*runner, build / "stream/stream_demo", build / "stream/fusec/stream/weights.bin",
               input="\n".join([*lines, "", *lines]) + "\n")
    expected = carried.levels(EXAMPLES / "stream/stream.onnx", samples)
    for stream in text.split("\n\n"):
        require(np.allclose([float(line) for line in stream.split()], expected, atol=2e-5), text)


def check_gpu(build, *environment):
    """Without a GPU it computes on the CPU."""
    said, *pictures = run("env", *environment, build / "gpu/outlines_demo",
                          build / "gpu/fusec/outlines/weights.bin").split("\n\n")
    if environment:  # a driver whose kernels compute nothing
        require(said == "runs cuda-sm80 on Fake GPU", said)
        return
    require(said.startswith("no GPU: ") and said.endswith("\nruns cpu on the CPU"), said)
    require_edges(pictures[:2])


def guesses(build, runner=()):
    weights = build / "language/text/fusec/language/weights.bin"
    lines = run(*runner, build / "language/language_demo", weights,
                input="\n".join(TEXTS.values()) + "\n").splitlines()
    return [line.split(":")[0] for line in lines]


def check_language(build, runner=()):
    require(guesses(build, runner) == list(TEXTS), f"guessed {guesses(build, runner)}")


def ask(port, rounds=20):
    """One client: all texts, again and again, over one connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        stream = connection.makefile("rw")
        for _ in range(rounds):
            for language, text in TEXTS.items():
                stream.write(text + "\n")
                stream.flush()
                reply = stream.readline().strip()
                require(reply == language, f"{text}: {reply}")


def check_server(build, runner=()):
    weights = build / "server/fusec/texts/weights.bin"
    server = subprocess.Popen([*runner, build / "server/language_server", weights, "3"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        port = int(server.stdout.readline())
        # More clients than sessions, so that some wait for one.
        with concurrent.futures.ThreadPoolExecutor(5) as clients:
            list(clients.map(ask, [port] * 5))
        server.stdin.close()
        require(server.wait(30) == 0, f"the server ended with {server.returncode}")
    finally:
        server.kill()
        server.wait()


def check_readme(build):
    text = run(build / "readme/app")
    require(re.search(r"\d", text), f"the README's program prints:\n{text}")


def check_all(build):
    check_decoder(build)
    check_digits(build)
    check_edges(build)
    check_stream(build)
    check_tutorial(build)
    check_deform_conv(build)
    check_layer_norm(build)
    check_swoosh(build)
    check_matmul_scale(build)
    check_row_softmax(build)
    check_rules(build)
    check_gpu(build)
    check_language(build)
    check_server(build)
    check_readme(build)


def examples(work, tree):
    """All of them in one project, built with Ninja; and then a model changes."""
    folder = fresh(work / "examples")
    superproject(folder, tree / "bin/fusec")
    project = Project(tree, folder, work / "examples-build")
    fresh(project.build)
    project.configure()
    project.make()
    check_all(project.build)
    check_gpu(project.build, f"LD_LIBRARY_PATH={fake_driver(work, folder)}")
    project.require_idle()

    # A model with the same interface that takes the languages for each other.
    path = folder / "language/language.onnx"
    import onnx
    from onnx import numpy_helper
    model = onnx.load(path)
    table = numpy_helper.to_array(model.graph.initializer[0])[:, ::-1].copy()
    model.graph.initializer[0].CopyFrom(numpy_helper.from_array(table, "table"))
    onnx.save(model, path)
    project.require_rebuilt(["language.onnx"], ["digits", "edges"])
    if guesses(project.build) != list(reversed(TEXTS)):
        raise Failure("the program still runs the old model")


def alone(work, tree):
    """Each by itself, with both generators."""
    checks = {"decoder": check_decoder, "deform_conv": check_deform_conv, "digits": check_digits,
              "edges": check_edges, "gpu": check_gpu, "layer_norm": check_layer_norm,
              "language": check_language, "matmul_scale": check_matmul_scale,
              "row_softmax": check_row_softmax, "rules": check_rules, "server": check_server,
              "stream": check_stream, "swoosh": check_swoosh, "tutorial": check_tutorial}
    for generator in ("Ninja", "Unix Makefiles"):
        for name, check in checks.items():
            build = fresh(work / "alone" / generator.replace(" ", "-"))
            project = Project(tree, EXAMPLES / name, build / name, generator,
                              ["-DFUSEC_KERNEL_ISAS="])
            project.configure()
            project.make()
            project.require_idle()
            check(build)
    check_growing(work, tree)


def check_growing(work, tree):
    """The decoder with caches that grow, of the same weights, writes the same text."""
    folder = fresh(work / "growing") / "decoder"
    shutil.copytree(EXAMPLES / "decoder", folder)
    run(sys.executable, folder / "make_model.py", "--growing", folder / "growing.onnx")
    project = Project(tree, folder, fresh(work / "growing-build") / "decoder",
                      options=["-DFUSEC_KERNEL_ISAS=", "-DGROWING=ON"])
    project.configure()
    project.make()
    project.require_idle()
    check_decoder(project.build.parent)
