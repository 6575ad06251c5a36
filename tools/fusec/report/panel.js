// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The panel beside the drawing: the whole model, or the step that was chosen.
'use strict';

const panel = document.getElementById('panel');

// C++ with its comments, strings, numbers and words told apart.
const WORDS = /(\/\/[^\n]*)|("(?:[^"\\]|\\.)*")|\b(\d[\w.+-]*?)(?=[^\w.])|\b(const|for|if|else|while|return|void|auto|static|inline|template|typename|namespace|using|struct|enum|bool|true|false|nullptr|reinterpret_cast|static_cast)\b|\b(float|double|int|char|f\d+x\d+|i\d+x\d+|u?int\d+_t|size_t|bf16|f16|b\d+x\d+|FUSEC_\w+)\b/g;
function highlight(line) {
  const parts = [], classes = ['c', 's', 'd', 'k', 't'];
  let end = 0;
  for (const match of (line + ' ').matchAll(WORDS)) {
    const group = match.slice(1).findIndex(text => text !== undefined);
    parts.push(line.slice(end, match.index), make('span', {class: classes[group]}, match[0].trimEnd()));
    end = match.index + match[0].trimEnd().length;
  }
  return [...parts, line.slice(end)];
}
function listing(file, first, last) {
  const lines = (sources[file] || '').split('\n');
  if (!sources[file])
    return make('p', {class: 'under'}, `${file} is not in this report.`);
  return make('pre', {}, lines.slice(first - 1, last).map((line, i) =>
    make('span', {class: 'l'}, make('span', {class: 'n'}, String(first + i)), highlight(line))));
}
// Several texts, one at a time.
function tabs(entries) {
  const bar = make('div', {class: 'tabs', role: 'tablist'}), place = make('div');
  entries.forEach(([name, build], i) => {
    const button = make('button', {role: 'tab', onclick: () => {
      [...bar.children].forEach(b => b.classList.toggle('on', b === button));
      place.replaceChildren(build());
    }}, name);
    bar.append(button);
    if (i === 0)
      button.click();
  });
  return [bar, place];
}

const link = (step, text) => make('a', {onclick: () => choose(step)}, text || step.title);
const chips = (names, color) => make('div', {class: `chips ${color}`}, names.map(node =>
  make('span', {class: 'chip'}, operators[node] ? make('b', {}, operators[node]) : null, node)));

function whyList(list) {
  return list.map(entry => {
    const ends = entry.links[0];
    const who = entry.reader
      ? [ends && ends.from ? link(ends.from, entry.node) : entry.node, '  →  ',
         ends ? link(ends.to, entry.reader) : entry.reader]
      : [entry.node];
    return make('div', {class: 'why'}, make('span', {class: 'who'}, who), entry.reason,
      entry.hint ? make('span', {class: 'hint'}, entry.hint) : null);
  });
}

function operands(step) {
  const maker = value => {
    for (let i = step.number - 1; i >= 0; --i)
      if (steps[i].writes.includes(value))
        return link(steps[i]);
    return model.values[value].kind === 'temporary' ? 'an earlier iteration' : model.values[value].kind;
  };
  const readers = value => {
    const found = steps.filter(s => links.some(l => l.from === step && l.to === s && l.value === model.values[value]));
    const names = found.flatMap((s, i) => [i ? ', ' : '', link(s)]);
    return model.values[value].kind === 'output' ? [...names, names.length ? ', ' : '', 'output'] : names;
  };
  const row = (way, value, other) => make('tr', {}, make('td', {}, way),
    make('td', {class: 'name'}, model.values[value].name), make('td', {class: 'name'}, typeOf(model.values[value])),
    make('td', {class: 'number'}, bytes(model.values[value].bytes)), make('td', {class: 'name'}, other));
  return make('table', {},
    make('tr', {}, ['', 'value', 'type', 'size', 'from / to'].map((t, i) => make('th', {class: i === 3 ? 'number' : ''}, t))),
    step.reads.map(v => row('reads', v, maker(v))), step.writes.map(v => row('writes', v, readers(v))));
}

// Where instruction sets have variants of their own, these share a name.
function nameOf(variant) {
  return variant.isa ? `${variant.name} for ${variant.isa}` : variant.name;
}

function schedules(group) {
  return make('table', {},
    make('tr', {}, ['variant', 'schedule', 'function', 'lines'].map(t => make('th', {}, t))),
    group.variants.map(v => make('tr', {}, make('td', {}, nameOf(v)), make('td', {}, v.schedule || 'as isl proposed it'),
      make('td', {class: 'name'}, v.function), make('td', {}, `${v.lines[0]}–${v.lines[1]}`))));
}

function describeStep(step) {
  const {group, call} = step, nodes = step.nodes;
  const shared = group ? steps.filter(s => s.group === group) : [];
  const kind = step.kind === 'launch' ? `launch of the kernel ${group.name}` : call ? 'library call' : step.kind;
  const parts = [make('p', {class: 'under'}, make('a', {onclick: () => choose(null)}, '← the whole model')),
    make('h2', {}, step.title),
    make('p', {class: 'under'}, `step ${step.number + 1} of ${steps.length}: ${kind}${step.depth ? ', in a loop or branch' : ''}`),
    timeOf(step.timed) ? make('p', {class: 'under'}, `${timeOf(step.timed)} of a run, ${measured()}`) : null,
    make('h3', {}, `${count(nodes.length, 'node')} of the model in it`), chips(nodes, step.color)];
  if (shared.length > 1)
    parts.push(make('h3', {}, `the same kernel in ${shared.length} launches`),
      make('div', {class: 'chips'}, shared.map(s => s === step ? make('span', {class: 'chip'}, make('b', {}, s.title))
                                                               : make('span', {class: 'chip'}, link(s)))));
  parts.push(make('h3', {}, 'why it was not fused further'), ...(step.why.length ? whyList(step.why)
    : [make('p', {class: 'under'}, 'Nothing was refused here.')]));
  parts.push(make('h3', {}, 'reads and writes'), operands(step));
  if (group)
    parts.push(make('h3', {}, 'schedule'),
      make('p', {class: 'under'}, `proposed by ${group.proposer || 'nobody'}${group.timed_out ? ' (isl was stopped)' : ''}${group.measured ? ' (measured)' : group.locked ? ' (locked)' : ''}`),
      schedules(group), make('h3', {}, 'emitted source'), make('p', {class: 'under'}, group.variants[0].file),
      ...tabs(group.variants.map(v => [nameOf(v), () => listing(v.file, ...v.lines)])));
  if (call)
    parts.push(make('h3', {}, 'routine'), make('p', {class: 'name'}, `${call.symbol} of ${call.header}`));
  return parts.filter(part => part);
}

// Where the times come from.
const measured = () => `the median of ${count(model.times.runs, 'run')} on ${model.times.ran_on}`;

// What the model's file says of itself; as tools/fusec/SourceRows.cpp.
function sourceRows() {
  const source = model.source || {};
  const sets = (source.opsets || []).map(set => `${set.domain || 'ai.onnx'} ${set.version}`);
  const rows = [['producer', [source.producer, source.producer_version].filter(text => text).join(' ')],
    ['IR version', source.ir_version], ['operator sets', sets.join(', ')], ['domain', source.domain],
    ['model version', source.model_version], ['graph', source.graph], ['doc', source.doc],
    ["graph's doc", source.graph_doc], ...(source.metadata || []).map(entry => [`metadata ${entry.key}`, entry.value])];
  return rows.filter(([, text]) => text).map(([label, text]) =>
    make('tr', {}, make('td', {}, label), make('td', {class: 'name'}, String(text))));
}

function describeModel() {
  const launches = g => steps.filter(s => s.group === g);
  const groups = [...model.groups].sort((a, b) => (b.ms ?? 0) - (a.ms ?? 0));
  const rows = groups.map(g => make('tr', {class: `link ${launches(g)[0]?.color || ''}`, onclick: () => choose(launches(g)[0])},
    make('td', {class: 'name'}, make('span', {class: 'swatch'}), g.name), make('td', {class: 'number'}, launches(g).length),
    make('td', {class: 'number'}, launches(g)[0]?.nodes.length ?? 0), model.times ? make('td', {class: 'number'}, timeOf(g)) : null,
    make('td', {}, g.schedule)));
  const parts = [make('h2', {}, model.name),
    make('p', {class: 'under'}, 'Each box is one launch of a kernel, and lists the nodes of the model that were fused into it. ' +
      'Edges are what still passes through memory. Click a box for its nodes, schedule, source, and why it was not fused further.'),
    make('h3', {}, count(model.groups.length, 'kernel')),
    model.times ? make('p', {class: 'under'}, `A run takes ${milliseconds(model.times.ms)}, ${measured()}.`) : null,
    make('table', {}, make('tr', {}, ['kernel', 'launches', 'nodes', ...(model.times ? ['time'] : []), 'schedule'].map(t =>
      make('th', {class: /launches|nodes|time/.test(t) ? 'number' : ''}, t))), rows)];
  if ((model.choices || []).length)
    parts.push(make('h3', {}, 'algorithms'), make('table', {}, make('tr', {}, ['choice', 'taken', 'of', 'because'].map(t => make('th', {}, t))),
      model.choices.map(c => make('tr', {}, make('td', {class: 'name'}, c.name), make('td', {}, c.algorithm + (c.lower_precision ? ', a lower precision than the model\'s' : '')),
        make('td', {}, (c.alternatives || []).join(', ')), make('td', {}, c.reason || '')))));
  if (sourceRows().length)
    parts.push(make('h3', {}, 'the model says'), make('table', {}, sourceRows()));
  parts.push(make('h3', {}, refusals.length ? `why not fewer: ${count(refusals.length, 'pair')} of neighbours stayed apart` : 'why not fewer'),
    ...(refusals.length ? whyList(refusals) : [make('p', {class: 'under'}, 'Nothing was refused.')]));
  const host = `${model.name}.cpp`;
  if (sources[host])
    parts.push(make('h3', {}, 'host program'), ...tabs([[host, () => listing(host, 1, sources[host].split('\n').length)]]));
  return parts.filter(part => part);
}

function choose(step) {
  chosen = step;
  const near = new Set(step ? [step] : []);
  for (const l of links) {
    const touches = step && (l.from === step || l.to === step);
    if (touches)
      [l.from, l.to].forEach(s => s && near.add(s));
    if (l.element) {
      l.element.classList.toggle('near', Boolean(touches));
      l.element.classList.toggle('dimmed', Boolean(step) && !touches);
    }
  }
  for (const s of steps) {
    s.element.classList.toggle('chosen', s === step);
    s.element.classList.toggle('dimmed', Boolean(step) && !near.has(s));
  }
  panel.replaceChildren(...(step ? describeStep(step) : describeModel()));
  panel.scrollTop = 0;
  const hash = step ? `#step-${step.number}` : '#';
  if (location.hash !== hash && (step || location.hash))
    history.replaceState(null, '', hash);
  if (step)
    reveal(step);
}

function fromHash() {
  const match = /^#step-(\d+)$/.exec(location.hash);
  choose(match && steps[Number(match[1])] || null);
}

const search = document.getElementById('search');
search.addEventListener('keydown', event => {
  const words = search.value.toLowerCase();
  if (event.key !== 'Enter' || !words)
    return;
  const matches = s => [s.title, s.group?.name || '', ...s.nodes, ...s.nodes.map(n => operators[n] || '')]
    .some(text => text.toLowerCase().includes(words));
  const after = chosen ? chosen.number + 1 : 0;
  const found = [...steps.slice(after), ...steps.slice(0, after)].find(matches);
  if (found)
    choose(found);
});
addEventListener('keydown', event => {
  if (event.target === search)
    return event.key === 'Escape' && search.blur();
  if (event.key === 'Escape') choose(null);
  if (event.key === '+') zoom(1.25);
  if (event.key === '-') zoom(0.8);
  if (event.key === '0') fit();
  if (event.key === '/') { event.preventDefault(); search.focus(); }
  const next = {ArrowDown: 1, ArrowUp: -1}[event.key];
  if (next && chosen && steps[chosen.number + next]) {
    event.preventDefault();
    choose(steps[chosen.number + next]);
  }
});
document.getElementById('split').addEventListener('pointerdown', event => {
  event.preventDefault();
  const move = e => { panel.style.width = `${Math.min(85, Math.max(20, 100 * (1 - e.clientX / innerWidth)))}%`; };
  addEventListener('pointermove', move);
  addEventListener('pointerup', () => removeEventListener('pointermove', move), {once: true});
});

document.title = `${model.name}: fusec report`;
document.getElementById('model').textContent = model.name;
// As fusec check counts them; of other models than ONNX's, those that became steps.
const total = model.source?.nodes ?? new Set(steps.flatMap(s => s.nodes)).size;
document.getElementById('facts').append(...[
  [`${count(total, 'node')} → ${count(model.groups.length, 'kernel')}`, ''],
  [model.launches.length, `launch${model.launches.length === 1 ? '' : 'es'}`],
  (model.calls || []).length ? [model.calls.length, 'library calls'] : null,
  model.times ? [milliseconds(model.times.ms), 'a run'] : null,
  model.weights ? [bytes(model.weights.bytes), 'of weights'] : null,
  [bytes(model.arena_bytes), 'of temporaries'], [model.target, model.target === 'cpu' ? `for ${model.cpu}` : ''],
].filter(fact => fact).map(([number, what]) => make('span', {class: 'fact'}, make('b', {}, String(number)), ` ${what}`)));
drawGraph();
fit(false);
addEventListener('hashchange', fromHash);
addEventListener('resize', () => fit(false));
fromHash();
document.body.dataset.ready = steps.length;
