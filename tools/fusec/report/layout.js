// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A layered drawing of an acyclic graph (after Sugiyama, Tagawa and Toda 1981):
// layers by longest path, long edges through points in between, few crossings by
// barycentres, and positions that pull neighbours under each other.
'use strict';

// Boxes are {width, height}; edges are {from, to}, indices of boxes, with
// from < to. Sets x (centre) and y (top) of each box and `points` of each edge.
function layOut(boxes, edges, gapX = 34, gapY = 58) {
  const layerOf = new Array(boxes.length).fill(0);
  for (const e of [...edges].sort((a, b) => a.to - b.to))
    layerOf[e.to] = Math.max(layerOf[e.to], layerOf[e.from] + 1);
  // What has no producer moves down to just above its first reader.
  const hasProducer = new Set(edges.map(e => e.to));
  boxes.forEach((_, i) => {
    const below = edges.filter(e => e.from === i).map(e => layerOf[e.to]);
    if (!hasProducer.has(i) && below.length)
      layerOf[i] = Math.min(...below) - 1;
  });

  const cells = boxes.map((box, i) => ({box, layer: layerOf[i], width: box.width,
                                        up: [], down: []}));
  for (const e of edges) {
    e.chain = [cells[e.from]];
    for (let layer = layerOf[e.from] + 1; layer < layerOf[e.to]; ++layer) {
      const bend = {layer, width: 10, up: [], down: []};
      cells.push(bend);
      e.chain.push(bend);
    }
    e.chain.push(cells[e.to]);
    for (let i = 1; i < e.chain.length; ++i) {
      e.chain[i - 1].down.push(e.chain[i]);
      e.chain[i].up.push(e.chain[i - 1]);
    }
  }
  const layers = [];
  for (const cell of cells)
    (layers[cell.layer] = layers[cell.layer] || []).push(cell);
  for (let i = 0; i < layers.length; ++i)
    layers[i] = layers[i] || [];

  orderLayers(layers);
  placeCells(layers, gapX);

  let y = 0;
  for (const layer of layers) {
    const height = Math.max(0, ...layer.map(c => c.box ? c.box.height : 0));
    for (const cell of layer) {
      cell.top = y;
      cell.height = cell.box ? cell.box.height : height;
      if (cell.box)
        Object.assign(cell.box, {x: cell.x, y});
    }
    y += height + gapY;
  }
  // Several edges of a box leave and enter side by side.
  const port = (cell, others, other) => {
    if (!cell.box || others.length < 2)
      return cell.x;
    const sorted = [...others].sort((a, b) => a.x - b.x);
    const room = Math.min(cell.width - 40, 26 * (others.length - 1));
    return cell.x + room * (sorted.indexOf(other) / (others.length - 1) - 0.5);
  };
  for (const e of edges) {
    e.points = [];
    e.chain.forEach((cell, i) => {
      if (i > 0)
        e.points.push([port(cell, cell.up, e.chain[i - 1]), cell.top]);
      if (i + 1 < e.chain.length)
        e.points.push([port(cell, cell.down, e.chain[i + 1]), cell.top + cell.height]);
    });
    delete e.chain;
  }
}

function crossings(layers) {
  let count = 0;
  for (const layer of layers) {
    const pairs = [];
    layer.forEach((cell, i) => cell.down.forEach(c => pairs.push([i, c.order])));
    for (let a = 0; a < pairs.length; ++a)
      for (let b = a + 1; b < pairs.length; ++b)
        if ((pairs[a][0] - pairs[b][0]) * (pairs[a][1] - pairs[b][1]) < 0)
          ++count;
  }
  return count;
}

function orderLayers(layers) {
  const number = layer => layer.forEach((cell, i) => { cell.order = i; });
  layers.forEach(number);
  let best = crossings(layers), bestOrder = layers.map(layer => [...layer]);
  for (let sweep = 0; sweep < 12 && best > 0; ++sweep) {
    const down = sweep % 2 === 0;
    for (let k = 0; k < layers.length; ++k) {
      const layer = layers[down ? k : layers.length - 1 - k];
      for (const cell of layer) {
        const near = down ? cell.up : cell.down;
        cell.key = near.length ? near.reduce((s, c) => s + c.order, 0) / near.length
                               : cell.order;
      }
      layer.sort((a, b) => a.key - b.key);
      number(layer);
    }
    const now = crossings(layers);
    if (now < best) {
      best = now;
      bestOrder = layers.map(layer => [...layer]);
    }
  }
  bestOrder.forEach((order, i) => { layers[i] = order; number(order); });
}

// The places nearest to what cells wish, in order and without overlaps: least
// squares by merging cells that would collide into blocks.
function settle(layer, wishes, gap) {
  const blocks = [];
  let offset = 0;
  layer.forEach((cell, i) => {
    if (i > 0)
      offset += (layer[i - 1].width + cell.width) / 2 + gap;
    let block = {cells: [[cell, offset]], sum: wishes[i] - offset, count: 1};
    while (blocks.length) {
      const last = blocks[blocks.length - 1];
      if (last.sum / last.count < block.sum / block.count)
        break;
      blocks.pop();
      block = {cells: [...last.cells, ...block.cells], sum: last.sum + block.sum,
               count: last.count + block.count};
    }
    blocks.push(block);
  });
  for (const block of blocks)
    for (const [cell, shift] of block.cells)
      cell.x = block.sum / block.count + shift;
}

function placeCells(layers, gap) {
  for (const layer of layers)
    settle(layer, layer.map(() => 0), gap);
  for (let sweep = 0; sweep < 24; ++sweep) {
    const down = sweep % 2 === 0;
    for (let k = 0; k < layers.length; ++k) {
      const layer = layers[down ? k : layers.length - 1 - k];
      const wishes = layer.map(cell => {
        const near = down ? cell.up : cell.down;
        const both = near.length ? near : (down ? cell.down : cell.up);
        return both.length ? both.reduce((s, c) => s + c.x, 0) / both.length : cell.x;
      });
      settle(layer, wishes, gap);
    }
  }
}
