# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opens a page of fusec inspect --html in headless Chromium and clicks through it.

  report.py PAGE MODEL.JSON [SCREENSHOT.png]

Each launch, call and copy must be a box inside the drawing that overlaps no other; a
click on it must show its nodes, each variant's schedule, all lines of its source, and the
remarks about it. No two boxes may be called the same. The page must hold each remark once, load nothing, and report no error.
Without JavaScript it must say the same as text.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# Runs in the page after its own scripts; what it finds is read from the DOM.
PROBE = """
<script>
const found = {boxes: [], errors: window.pageErrors, title: document.title,
               overview: panel.textContent, remarks: panel.querySelectorAll('.why').length};
for (const element of document.querySelectorAll('.step')) {
  const {x, y, width, height} = element.querySelector('.box').getBoundingClientRect();
  element.dispatchEvent(new MouseEvent('click', {bubbles: true}));
  const lines = [];
  for (const button of panel.querySelectorAll('.tabs button')) {
    button.click();
    lines.push(panel.querySelectorAll('pre .l').length);
  }
  found.boxes.push({x, y, width, height, lines, text: panel.textContent,
                    remarks: panel.querySelectorAll('.why').length, hash: location.hash,
                    label: [...element.querySelectorAll('text.title')].map(t => t.textContent).join('|'),
                    time: element.querySelector('.time + text')?.textContent || ''});
}
found.facts = document.getElementById('facts').textContent;
found.states = [...document.querySelectorAll('.port')].map(p => p.textContent)
                                                      .filter(t => t.includes('state '));
found.edges = document.querySelectorAll('.edge').length;
const out = document.createElement('pre');
out.id = 'found';
out.textContent = JSON.stringify(found);
document.body.append(out);
</script>"""
# A browser that allows the page no scripts, and what it shows.
FRAME = """<!DOCTYPE html>
<iframe id="plain" sandbox="allow-same-origin" width="1000" height="800"></iframe>
<script>
const plain = document.getElementById('plain');
plain.onload = () => {
  const seen = [...plain.contentDocument.querySelectorAll('details.group')]
    .filter(element => element.getClientRects().length);
  const out = document.createElement('pre');
  out.id = 'found';
  out.textContent = JSON.stringify({
    groups: seen.map(element => element.textContent),
    drawing: plain.contentDocument.querySelector('main').getClientRects().length});
  document.body.append(out);
};
plain.srcdoc = PAGE;
</script>"""
CATCH = ("<script>window.pageErrors = [];"
         "addEventListener('error', e => pageErrors.push(e.message));"
         "addEventListener('securitypolicyviolation', e => pageErrors.push(e.blockedURI));"
         "</script><script type=\"application/json\" id=\"data\">")


def chromium(folder, *arguments):
    return subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
         f"--user-data-dir={folder}/chromium", "--host-resolver-rules=MAP * ~NOTFOUND",
         "--window-size=1600,1000", "--virtual-time-budget=4000", *arguments],
        capture_output=True, text=True, timeout=120, check=True).stdout


def read_found(dom):
    match = re.search(r'<pre id="found">(.*?)</pre>', dom, re.S)
    assert match, "the page's scripts did not run to their end"
    found = match.group(1)
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        found = found.replace(entity, character)
    return json.loads(found)


def probe(page, folder):
    text = page.read_text()
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//|@import|url\(""", text)
    marker = '<script type="application/json" id="data">'
    assert text.count(marker) == 1
    copy = pathlib.Path(folder) / "page.html"
    copy.write_text(text.replace(marker, CATCH).replace("</body>", PROBE + "</body>"))
    dom = chromium(folder, "--dump-dom", copy.resolve().as_uri())
    return read_found(dom)


def check(found, model):
    assert not found["errors"], found["errors"]
    assert model["name"] in found["title"]
    assert len(found["boxes"]) == len(model["steps"]), "a box per step"
    assert found["remarks"] == len(model["refusals"]), "each remark once"
    for state in model.get("states", []):  # where it goes in and comes out
        for name in (state["name"], state["output"]):
            assert any(text.startswith(name) for text in found["states"]), f"no state {name}"
    assert found["edges"] >= len(model["steps"]) - 1
    for refusal in model["refusals"]:
        assert refusal["reason"] in found["overview"], refusal
        assert refusal.get("hint", "") in found["overview"], refusal
    labels = [box["label"] for box in found["boxes"]]
    assert len(set(labels)) == len(labels), f"boxes that look alike: {labels}"
    about = 0
    for number, (step, box) in enumerate(zip(model["steps"], found["boxes"])):
        assert box["hash"] == f"#step-{number}"
        for node in step["nodes"]:
            assert node in box["text"], f"{node} is not in the panel of step {number}"
        about += box["remarks"]
        if step["kind"] == "launch":
            name = model["launches"][step["launch"]]["group"]
            group = next(g for g in model["groups"] if g["name"] == name)
            for variant, lines in zip(group["variants"], box["lines"], strict=True):
                first, last = variant["lines"]
                assert lines == last - first + 1, f"{variant['name']}: {lines} lines"
                assert variant["schedule"] in box["text"]
        elif step["kind"] == "call":
            assert model["calls"][step["call"]]["symbol"] in box["text"]
    assert about or not model["refusals"], "no box shows why it was not fused further"
    for i, a in enumerate(found["boxes"]):
        for b in found["boxes"][:i]:
            apart = (a["x"] + a["width"] <= b["x"] or b["x"] + b["width"] <= a["x"]
                     or a["y"] + a["height"] <= b["y"] or b["y"] + b["height"] <= a["y"])
            assert apart, f"boxes overlap: {a} {b}"


def check_plain(page, model, folder):
    for state in model.get("states", []):
        assert "<h2>States" in page.read_text() and state["name"] in page.read_text()
    frame = pathlib.Path(folder) / "frame.html"
    text = json.dumps(page.read_text()).replace("<", "\\u003c")
    frame.write_text(FRAME.replace("PAGE", text))
    found = read_found(chromium(folder, "--dump-dom", frame.resolve().as_uri()))
    assert found["drawing"] == 0, "an empty drawing is shown"
    shown = found["groups"]
    steps = model["groups"] + model.get("calls", [])
    assert len(shown) == len(steps), f"{len(shown)} for {len(steps)} kernels and calls"
    reasons = 0
    for step, text in zip(steps, shown):
        for node in step["nodes"]:
            assert node in text, f"{node} is not in {text}"
        for refusal in model["refusals"]:
            if {refusal["node"], refusal["reader"]} & set(step["nodes"]):
                reasons += 1
                assert refusal["reason"] in text and refusal.get("hint", "") in text, refusal
        for variant in step.get("variants", []):
            first, last = variant["lines"]
            assert variant["schedule"] in text
            assert f"{variant['function']}(" in text, "no source"
            assert text.count("\n") > last - first
    assert reasons or not model["refusals"], "no remark is shown"


page, model = pathlib.Path(sys.argv[1]), json.loads(pathlib.Path(sys.argv[2]).read_text())
with tempfile.TemporaryDirectory() as scratch:
    found = probe(page, scratch)
    check(found, model)
    check_plain(page, model, scratch)
    if len(sys.argv) > 3:
        chromium(scratch, f"--screenshot={sys.argv[3]}", page.resolve().as_uri())
print(f"{len(model['steps'])} boxes, {len(model['refusals'])} remarks: fine")
print(found["facts"])
for box in found["boxes"]:
    print(box["label"], box["time"])
