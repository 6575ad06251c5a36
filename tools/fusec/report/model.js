// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the page shows: model.json, the emitted sources, and the operators of the
// model's nodes, as objects that know each other.
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const model = data.model, operators = data.operators || {}, sources = data.sources || {};

// An element with attributes and children; strings are text, never markup.
function make(tag, attributes = {}, ...children) {
  const svg = /^(svg|g|rect|path|text|tspan|circle|clipPath|title)$/.test(tag);
  const element = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag)
                      : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (name.startsWith('on'))
      element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null)
      element.setAttribute(name, value);
  for (const child of children.flat())
    if (child !== null && child !== undefined)
      element.append(child);
  return element;
}

const count = (number, what) => `${number} ${what}${number === 1 ? '' : 's'}`;
function bytes(number) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  for (; number >= 1000 && unit < 4; ++unit)
    number /= 1000;
  return `${unit && number < 10 ? number.toFixed(1) : Math.round(number)} ${units[unit]}`;
}
const dims = value => value.dims.length ? value.dims.join('×') : 'scalar';
const typeOf = value => `${value.dtype} ${dims(value)}`;
// What is too long loses its middle: names differ at their ends.
const clip = (text, length) => text.length <= length ? text
  : `${text.slice(0, Math.ceil((length - 1) / 2))}…${text.slice(-Math.floor((length - 1) / 2))}`;
const milliseconds = ms => `${ms >= 100 ? ms.toFixed(0) : ms.toPrecision(3)} ms`;
// "0.123 ms · 12 %", of what has a time.
const timeOf = part => part?.ms === undefined ? ''
  : `${milliseconds(part.ms)} · ${Math.round(100 * part.ms / model.times.ms)} %`;

// Which colour: by the heaviest operator, or by names where operators are unknown.
const KINDS = [
  ['matrix', 'matrix and convolution', /conv|matmul|gemm|einsum|attention|lstm|gru|rnn|dense|linear|winograd/i],
  ['rows', 'reduction', /softmax|norm|reduce|pool|argm|cumsum|topk|mean|sum$|loss/i],
  ['points', 'elementwise and movement', /./],
];
function kindOf(step) {
  if (step.kind !== 'launch')
    return step.kind === 'call' ? 'call' : 'copy';
  const words = step.nodes.map(node => operators[node] || node);
  return KINDS.find(([, , pattern]) => words.some(word => pattern.test(word)))?.[0] || 'points';
}

const steps = model.steps.map((step, number) => {
  const launch = step.kind === 'launch' ? model.launches[step.launch] : null;
  const group = launch && model.groups.find(g => g.name === launch.group);
  const call = step.kind === 'call' ? model.calls[step.call] : null;
  const value = model.values[step.reads[0] ?? step.writes[0]];
  const full = {...step, number, group, call, why: [], timed: launch || call,
                title: launch ? launch.name : call ? call.routine : value ? `${step.kind} of ${value.name}` : step.kind};
  return Object.assign(full, {color: kindOf(full)});
});

// Who made what a step reads: the last step before it that wrote the value.
const links = [];
steps.forEach((step, to) => step.reads.forEach(value => {
  for (let from = to - 1; from >= 0; --from)
    if (steps[from].writes.includes(value))
      return links.push({from: steps[from], to: step, value: model.values[value], why: []});
  if (model.values[value].kind === 'input')
    links.push({from: null, to: step, value: model.values[value], why: []});
}));

// Each remark stands once in the list, and at the steps and links that it is about.
const refusals = (model.refusals || []).map(refusal => {
  const makers = steps.filter(s => s.nodes.includes(refusal.node));
  const readers = steps.filter(s => s.nodes.includes(refusal.reader));
  const about = links.filter(l => makers.includes(l.from) && readers.includes(l.to));
  const entry = {...refusal, links: about};
  about.forEach(link => link.why.push(entry));
  const ends = about.length ? about.flatMap(l => [l.from, l.to]) : makers;
  new Set(ends).forEach(step => step.why.push(entry));
  return entry;
});
