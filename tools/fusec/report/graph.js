// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The drawing: a box per launch, call and copy, with the nodes that it holds; a
// pill per input and output; an edge per value that passes through memory.
'use strict';

const WIDTH = 250, ROWS = 7, LINE = 26;
const svg = document.getElementById('graph'), canvas = document.getElementById('canvas');
const tip = document.getElementById('tip');
const scene = make('g');
let chosen = null;

// Which step it is and what it is called, in one line or two, where a word ends.
function titleOf(step) {
  const text = `${step.number + 1}: ${step.title}`;
  if (text.length <= LINE)
    return [text];
  const cut = Math.max(...['_', '/', '.', ' '].map(end => text.lastIndexOf(end, LINE - 1)));
  const first = text.slice(0, cut > LINE / 2 ? cut + 1 : LINE);
  return [first, clip(text.slice(first.length), LINE + 3)];
}

function boxOf(step) {
  const rows = step.nodes.length > ROWS ? ROWS : step.nodes.length, title = titleOf(step);
  const head = 24 + 16 * title.length + (timeOf(step.timed) ? 18 : 0);
  return {width: WIDTH, height: head + 17 * rows, head, title, step};
}

function drawStep(box) {
  const {step, title, head} = box, x = box.x - WIDTH / 2, time = timeOf(step.timed);
  const rows = step.nodes.length > ROWS
    ? [...step.nodes.slice(0, ROWS - 1), null] : step.nodes;
  const badge = [step.depth ? '⟳' : '', step.call ? 'library' : '',
                 step.kind === 'launch' ? count(step.nodes.length, 'node') : ''];
  const g = make('g', {class: `step ${step.color}`, id: `step-${step.number}`, tabindex: 0,
                       role: 'button', 'aria-label': `${step.title}: ${step.nodes.join(', ')}`,
                       transform: `translate(${x},${box.y})`,
                       onclick: () => choose(step),
                       onkeydown: e => { if (e.key === 'Enter' || e.key === ' ') choose(step); }},
    make('rect', {class: 'box', width: WIDTH, height: box.height, rx: 9}),
    make('path', {class: 'band', d: `M9 0 A9 9 0 0 0 0 9 V${box.height - 9} A9 9 0 0 0 6 ${box.height - .6} V0 Z`}),
    title.map((line, i) => make('text', {class: 'title', x: 17, y: 22 + 16 * i}, line)),
    make('text', {class: 'badge', x: WIDTH - 10, y: 21.5}, title[0].length > 19 ? badge[0] : badge.filter(b => b).join(' ')),
    time ? [make('rect', {class: 'time', x: 17, y: head - 29, height: 16, rx: 3,
                          width: Math.max(2, (WIDTH - 27) * Math.min(1, step.timed.ms / model.times.ms))}),
            make('text', {class: 'row', x: 21, y: head - 17}, time)] : null,
    rows.map((node, i) => make('text', {class: 'row', x: 17, y: head + 2 + 17 * i},
      node === null ? `… ${step.nodes.length - ROWS + 1} more`
        : operators[node] ? [make('tspan', {class: 'op'}, operators[node]), '  ' + clip(node, Math.max(8, 31 - operators[node].length))]
        : clip(node, 33))),
    make('title', {}, step.title));
  step.element = g;
  return g;
}

// What a session carries from run to run, where it goes in and comes out.
function portText(value) {
  const state = (model.states || []).find(s => s.name === value.name || s.output === value.name);
  return state ? `state ${typeOf(value)}` : typeOf(value);
}
function drawPort(box) {
  return make('g', {class: 'port', transform: `translate(${box.x - box.width / 2},${box.y})`},
    make('rect', {class: 'box', width: box.width, height: box.height, rx: box.height / 2}),
    make('text', {class: 'title', x: box.width / 2, y: 18}, clip(box.value.name, 28)),
    make('text', {class: 'row', x: box.width / 2, y: 33}, portText(box.value)));
}

// A curve that leaves and enters vertically.
function curve(points) {
  let d = `M${points[0].join(' ')}`;
  for (let i = 1; i < points.length; ++i) {
    const [x0, y0] = points[i - 1], [x1, y1] = points[i], middle = (y0 + y1) / 2;
    d += x0 === x1 ? ` V${y1}` : ` C${x0} ${middle} ${x1} ${middle} ${x1} ${y1}`;
  }
  return d;
}

function drawEdge(edge) {
  const {link, points} = edge, d = curve(points);
  const thickness = 1.2 + Math.min(4, Math.log10(Math.max(1, link.value.bytes / 1000)) * 0.9);
  const [x0, y0] = points[0], [x1, y1] = points[1];
  const x = (x0 + x1) / 2, y = (y0 + y1) / 2;
  const text = `${link.value.name}: ${typeOf(link.value)}, ${bytes(link.value.bytes)} through memory`;
  const g = make('g', {class: 'edge'},
    make('path', {class: 'wide', d}), make('path', {class: 'line', d, 'stroke-width': thickness, 'marker-end': 'none'}),
    make('path', {d: `M${points[points.length - 1][0] - 5} ${points[points.length - 1][1] - 8} l5 8 l5 -8`, class: 'line', 'stroke-width': 1.6}),
    edge.label ? make('text', {x, y: y + (link.why.length ? -12 : 4)}, dims(link.value)) : null,
    link.why.length ? [make('circle', {class: 'cut', cx: x, cy: y, r: 8}),
                       make('text', {class: 'mark', x, y: y + 4}, '?')] : null);
  const lines = [text, ...link.why.map(w => `not fused: ${w.reason}${w.hint ? `. What to do: ${w.hint}` : ''}`)];
  g.addEventListener('mousemove', event => {
    tip.hidden = false;
    tip.replaceChildren(...lines.map(line => make('div', {}, line)));
    const room = canvas.getBoundingClientRect();
    tip.style.left = `${Math.min(event.clientX - room.left + 14, room.width - tip.offsetWidth - 8)}px`;
    tip.style.top = `${Math.min(event.clientY - room.top + 14, room.height - tip.offsetHeight - 8)}px`;
  });
  g.addEventListener('mouseleave', () => { tip.hidden = true; });
  if (link.why.length)
    g.addEventListener('click', () => choose(link.to || link.from));
  link.element = g;
  return g;
}

let size = {left: 0, top: 0, width: 1, height: 1};
function drawGraph() {
  const port = value => ({width: Math.max(96, 8.4 * Math.min(28, Math.max(value.name.length, portText(value).length)) + 30),
                          height: 42, value});
  const inputs = model.values.filter(v => v.kind === 'input').map(port);
  const outputs = model.values.filter(v => v.kind === 'output').map(port);
  const boxes = [...inputs, ...steps.map(boxOf), ...outputs];
  const edges = links.map(link => ({
    link, to: inputs.length + link.to.number,
    from: link.from ? inputs.length + link.from.number : inputs.findIndex(b => b.value === link.value)}));
  outputs.forEach((box, i) => {
    const writer = [...steps].reverse().find(s => s.writes.some(v => model.values[v] === box.value));
    if (writer)
      edges.push({from: inputs.length + writer.number, to: inputs.length + steps.length + i,
                  link: {from: writer, to: null, value: box.value, why: []}});
  });
  layOut(boxes, edges);
  // One label where several edges carry one value.
  const labelled = new Set();
  for (const edge of edges) {
    edge.label = edge.link.from && edge.link.to && !labelled.has(edge.link.value);
    labelled.add(edge.link.value);
  }
  scene.append(...edges.map(drawEdge), ...boxes.map(box => box.step ? drawStep(box) : drawPort(box)));
  const xs = boxes.flatMap(b => [b.x - b.width / 2, b.x + b.width / 2]);
  size = {left: Math.min(...xs), top: 0, width: Math.max(...xs) - Math.min(...xs),
          height: Math.max(...boxes.map(b => b.y + b.height))};
  svg.append(scene);
  const used = new Set(steps.map(s => s.color));
  const names = [...KINDS, ['call', 'library call'], ['copy', 'copy']];
  document.getElementById('legend').append(...names.filter(([kind]) => used.has(kind)).map(([kind, name]) =>
    make('span', {class: kind}, make('i', {style: 'background: var(--kind)'}), name)));
}

// ------------------------------------------------------------- moving around
const view = {x: 0, y: 0, scale: 1};
function show() {
  scene.setAttribute('transform', `translate(${view.x},${view.y}) scale(${view.scale})`);
}
function fit(all = true) {
  const {width, height} = canvas.getBoundingClientRect();
  const whole = Math.min((width - 60) / size.width, (height - 70) / size.height);
  // A tall graph begins at its top, large enough to be read.
  view.scale = all ? Math.min(1.25, whole) : Math.min(1.15, Math.max(whole, 0.62), (width - 40) / size.width);
  view.x = width / 2 - view.scale * (size.left + size.width / 2);
  view.y = Math.max(26, (height - view.scale * size.height) / 2);
  show();
}
function zoom(factor, x, y) {
  const room = canvas.getBoundingClientRect();
  x = x ?? room.width / 2; y = y ?? room.height / 2;
  const scale = Math.min(4, Math.max(0.03, view.scale * factor));
  view.x = x - (x - view.x) * scale / view.scale;
  view.y = y - (y - view.y) * scale / view.scale;
  view.scale = scale;
  show();
}
function reveal(step) {
  const room = canvas.getBoundingClientRect(), box = step.element.getBoundingClientRect();
  if (box.left < room.left || box.right > room.right || box.top < room.top || box.bottom > room.bottom) {
    view.x += room.left + room.width / 2 - (box.left + box.right) / 2;
    view.y += room.top + room.height / 2 - (box.top + box.bottom) / 2;
    show();
  }
}
canvas.addEventListener('wheel', event => {
  event.preventDefault();
  const room = canvas.getBoundingClientRect();
  zoom(Math.exp(-event.deltaY * 0.0015), event.clientX - room.left, event.clientY - room.top);
}, {passive: false});
canvas.addEventListener('pointerdown', event => {
  if (event.target.closest('.step, button'))
    return;
  const from = {x: event.clientX - view.x, y: event.clientY - view.y};
  canvas.classList.add('dragging');
  const move = e => { view.x = e.clientX - from.x; view.y = e.clientY - from.y; show(); };
  const stop = () => {
    canvas.classList.remove('dragging');
    removeEventListener('pointermove', move);
  };
  addEventListener('pointermove', move);
  addEventListener('pointerup', stop, {once: true});
});
document.getElementById('closer').onclick = () => zoom(1.25);
document.getElementById('farther').onclick = () => zoom(0.8);
document.getElementById('fit').onclick = () => fit();
