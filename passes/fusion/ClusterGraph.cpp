// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/fusion/ClusterGraph.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <queue>

using namespace mlir;
using namespace fusec::fuse;

ClusterGraph::ClusterGraph(Block &block) {
  for (Operation &op : block) {
    place[&op] = program.size();
    program.push_back(&op);
  }
  readers.resize(size());
  sources.resize(size());
  seen.resize(size());
  for (unsigned i = 0; i < size(); ++i) {
    clusterOf.push_back(i);
    rank.push_back(i);
    members.push_back({i});
    program[i]->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *producer = operand.getDefiningOp();
        if (!producer || producer->getBlock() != &block)
          continue;
        sources[i].push_back(getPlace(producer));
        readers[getPlace(producer)].push_back(i);
      }
    });
  }
}

SmallVector<Operation *> ClusterGraph::getOps(unsigned cluster) const {
  return llvm::map_to_vector(members[cluster],
                             [&](unsigned i) { return program[i]; });
}

ClusterGraph::Numbers ClusterGraph::unitePlaces(unsigned a, unsigned b) const {
  Numbers places;
  places.reserve(members[a].size() + members[b].size());
  std::merge(members[a].begin(), members[a].end(), members[b].begin(),
             members[b].end(), std::back_inserter(places));
  return places;
}

SmallVector<Operation *> ClusterGraph::getUnion(unsigned a, unsigned b) const {
  return llvm::map_to_vector(unitePlaces(a, b),
                             [&](unsigned i) { return program[i]; });
}

/// The clusters, ranked between the two, to which paths lead from `from` along
/// `neighbours`; nothing if one of these leads on to `to`.
std::optional<ClusterGraph::Numbers>
ClusterGraph::findBetween(unsigned from, unsigned to,
                          const std::vector<Numbers> &neighbours) {
  const unsigned low = std::min(rank[from], rank[to]);
  const unsigned high = std::max(rank[from], rank[to]);
  Numbers found;
  ++search;
  auto visit = [&](unsigned cluster) {
    for (unsigned i : members[cluster])
      for (unsigned neighbour : neighbours[i]) {
        unsigned next = clusterOf[neighbour];
        if (next == to && cluster != from)
          return false;
        if (rank[next] <= low || rank[next] >= high || seen[next] == search)
          continue;
        seen[next] = search;
        found.push_back(next);
      }
    return true;
  };
  if (!visit(from))
    return std::nullopt;
  for (size_t next = 0; next < found.size(); ++next)
    if (!visit(found[next]))
      return std::nullopt;
  return found;
}

bool ClusterGraph::isConvex(unsigned a, unsigned b) {
  if (rank[a] > rank[b])
    std::swap(a, b);
  return findBetween(a, b, readers).has_value();
}

bool ClusterGraph::join(unsigned a, unsigned b) {
  auto [first, last] = rank[a] < rank[b] ? std::pair(a, b) : std::pair(b, a);
  std::optional<Numbers> behind = findBetween(first, last, readers);
  if (!behind)
    return false;
  unsigned joined = rank[last];
  if (!behind->empty()) {
    // What the last one reads comes before both, what reads the first one
    // behind: in the places that they have, in the order that they have.
    Numbers before = *findBetween(last, first, sources);
    SmallVector<unsigned> places = {rank[first], rank[last]};
    for (Numbers *part : {&before, &*behind}) {
      llvm::sort(*part,
                 [&](unsigned x, unsigned y) { return rank[x] < rank[y]; });
      for (unsigned cluster : *part)
        places.push_back(rank[cluster]);
    }
    llvm::sort(places);
    const unsigned *next = places.begin();
    for (unsigned cluster : before)
      rank[cluster] = *next++;
    joined = *next++;
    for (unsigned cluster : *behind)
      rank[cluster] = *next++;
  }
  rank[a] = joined;
  for (unsigned i : members[b])
    clusterOf[i] = a;
  members[a] = unitePlaces(a, b);
  members[b].clear();
  return true;
}

SmallVector<unsigned> ClusterGraph::getTopologicalOrder() const {
  std::vector<unsigned> missing(size());
  std::vector<SmallVector<unsigned>> users(size());
  for (unsigned i = 0; i < size(); ++i)
    for (unsigned source : sources[i])
      if (clusterOf[source] != clusterOf[i]) {
        users[clusterOf[source]].push_back(clusterOf[i]);
        ++missing[clusterOf[i]];
      }
  using Entry = std::pair<unsigned, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  auto push = [&](unsigned c) { ready.push({members[c].front(), c}); };
  for (unsigned c = 0; c < size(); ++c)
    if (!members[c].empty() && missing[c] == 0)
      push(c);
  SmallVector<unsigned> order;
  while (!ready.empty()) {
    unsigned c = ready.top().second;
    ready.pop();
    order.push_back(c);
    for (unsigned user : users[c])
      if (--missing[user] == 0)
        push(user);
  }
  return order;
}
