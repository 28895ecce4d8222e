/** Graph edits as data. Each returns a graph that is valid for the API, or the unchanged graph. */

import type { GraphNode, QueryGraph } from "../../api";
import { NOTHING, type NodeKind, newNode } from "./kinds";
import { connectionProblem, portsOf, withPort, withReads } from "./ports";

export type GraphEdit =
  /** Add a node; `after`: it reads that node; with `between` the readers of that node read the new one instead. */
  | { do: "add"; node: GraphNode; after?: string; between?: boolean }
  /** Add a node before `before`, in the port `port`: it reads what was read there. */
  | { do: "addBefore"; node: GraphNode; before: string; port: string }
  /** What read a removed node reads what that one read, where it was one node; else nothing. */
  | { do: "remove"; ids: readonly string[] }
  | { do: "set"; id: string; fields: Readonly<Record<string, unknown>> }
  | { do: "rename"; from: string; to: string }
  | { do: "connect"; from: string; to: string; port: string }
  | { do: "disconnect"; to: string; port: string }
  /** Put nodes in under ids that are free; names among them follow, others stay where the graph has them. */
  | { do: "paste"; nodes: readonly GraphNode[] }
  | { do: "replace"; graph: QueryGraph };

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

/** Return an unused id, starting from `wanted`. */
export function freeId(graph: QueryGraph, wanted: string, taken: ReadonlySet<string> = new Set()): string {
  const used = new Set([...graph.nodes.map(({ id }) => id), ...taken, NOTHING]);
  if (!used.has(wanted)) return wanted;
  const stem = wanted.replace(/_\d+$/, "").slice(0, 55);
  let number = 2;
  while (used.has(`${stem}_${number}`)) number += 1;
  return `${stem}_${number}`;
}

/** Return a new node of a kind with an unused id. */
export function freshNode(graph: QueryGraph, kind: NodeKind, fields: Record<string, unknown> = {}): GraphNode {
  const wanted =
    kind === "input" && typeof fields.stream === "string" ? fields.stream : kind === "output" ? "out" : kind;
  return newNode(kind, freeId(graph, wanted), fields);
}

/** Return why a node can't be renamed to `to`; null if it can. */
export function renameProblem(graph: QueryGraph, from: string, to: string): string | null {
  if (to === from) return null;
  if (!NAME.test(to)) return "Start with a letter or _, then use up to 62 letters, digits or _.";
  if (to.startsWith("pane_")) return "Names that begin with pane_ are reserved. Choose another.";
  if (to === NOTHING) return `${NOTHING} marks an unconnected port. Choose another name.`;
  return graph.nodes.some(({ id }) => id === to) ? `A node ${to} already exists.` : null;
}

function same(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function mapped(graph: QueryGraph, turn: (node: GraphNode) => GraphNode): QueryGraph {
  const nodes = graph.nodes.map((node) => {
    const turned = turn(node);
    return same(node, turned) ? node : turned;
  });
  return nodes.every((node, index) => node === graph.nodes[index]) ? graph : { ...graph, nodes };
}

const readBy = (node: GraphNode, turn: ReadonlyMap<string, string>) =>
  withReads(node, (reads) => turn.get(reads) ?? reads);

/** Return the replacement of each removed node: its only input, followed as far as needed; otherwise `nothing`. */
function healed(graph: QueryGraph, gone: ReadonlySet<string>): Map<string, string> {
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const heal = (id: string, path: ReadonlySet<string>): string => {
    const node = byId.get(id);
    if (!gone.has(id)) return id;
    if (node === undefined || path.has(id)) return NOTHING;
    const ports = portsOf(node);
    const [port, ...others] = ports;
    return port === undefined || others.length > 0 ? NOTHING : heal(port.reads, new Set(path).add(id));
  };
  return new Map([...gone].map((id) => [id, heal(id, new Set())]));
}

function removed(graph: QueryGraph, ids: readonly string[]): QueryGraph {
  const gone = new Set(ids.filter((id) => graph.nodes.some((node) => node.id === id)));
  const stay = graph.nodes.filter(({ id }) => !gone.has(id));
  if (gone.size === 0 || stay.length === 0) return graph; // a query has at least one node
  const turn = healed(graph, gone);
  return { ...graph, nodes: stay.map((node) => readBy(node, turn)) };
}

function placeAfter(graph: QueryGraph, id: string | undefined, node: GraphNode): GraphNode[] {
  const at = graph.nodes.findIndex((each) => each.id === id);
  const firstOutput = graph.nodes.findIndex(({ kind }) => kind === "output");
  const place = at >= 0 ? at + 1 : firstOutput >= 0 && node.kind !== "output" ? firstOutput : graph.nodes.length;
  return [...graph.nodes.slice(0, place), node, ...graph.nodes.slice(place)];
}

function added(graph: QueryGraph, { node, after, between = false }: Extract<GraphEdit, { do: "add" }>): QueryGraph {
  const fresh = { ...node, id: freeId(graph, node.id) };
  const source = graph.nodes.find(({ id }) => id === after);
  const [port] = portsOf(fresh);
  if (source === undefined || source.kind === "output" || port === undefined) {
    return { ...graph, nodes: placeAfter(graph, after, fresh) };
  }
  const reading = withPort(fresh, port.name, source.id);
  const turn = new Map(between && fresh.kind !== "output" ? [[source.id, fresh.id]] : []);
  const before = mapped(graph, (each) => readBy(each, turn));
  return { ...graph, nodes: placeAfter(before, after, reading) };
}

function addedBefore(graph: QueryGraph, edit: Extract<GraphEdit, { do: "addBefore" }>): QueryGraph {
  const target = graph.nodes.find(({ id }) => id === edit.before);
  const read = target === undefined ? undefined : portsOf(target).find(({ name }) => name === edit.port);
  if (target === undefined || read === undefined || edit.node.kind === "output") return graph;
  const fresh = { ...edit.node, id: freeId(graph, edit.node.id) };
  const [port] = portsOf(fresh);
  const reading = port === undefined ? fresh : withPort(fresh, port.name, read.reads);
  const at = graph.nodes.indexOf(target);
  const onward = withPort(target, edit.port, fresh.id);
  return { ...graph, nodes: [...graph.nodes.slice(0, at), reading, onward, ...graph.nodes.slice(at + 1)] };
}

function renamed(graph: QueryGraph, from: string, to: string): QueryGraph {
  if (from === to || renameProblem(graph, from, to) !== null) return graph;
  const turn = new Map([[from, to]]);
  return mapped(graph, (node) => readBy(node.id === from ? { ...node, id: to } : node, turn));
}

function without(node: GraphNode, port: string): GraphNode {
  const found = portsOf(node).findIndex(({ name }) => name === port);
  if (node.kind === "union" && node.inputs.length > 2) {
    return { ...node, inputs: node.inputs.filter((_, index) => index !== found) };
  }
  const read = portsOf(node)[found]?.reads;
  return read === undefined || read === NOTHING ? node : withPort(node, port, NOTHING);
}

function disconnected(graph: QueryGraph, to: string, port: string): QueryGraph {
  return mapped(graph, (node) => (node.id === to ? without(node, port) : node));
}

/** Return the new ids of pasted nodes, by their old ids. */
export function pastedIds(graph: QueryGraph, nodes: readonly GraphNode[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const { id } of nodes) found.set(id, freeId(graph, id, new Set(found.values())));
  return found;
}

function pasted(graph: QueryGraph, nodes: readonly GraphNode[]): QueryGraph {
  const fresh = pastedIds(graph, nodes);
  const known = new Set(graph.nodes.map(({ id }) => id));
  const turn = (reads: string) => fresh.get(reads) ?? (known.has(reads) ? reads : NOTHING);
  const made = nodes.map((node) => withReads({ ...node, id: fresh.get(node.id) ?? node.id }, turn));
  return { ...graph, nodes: [...graph.nodes, ...made] };
}

function connected(graph: QueryGraph, { from, to, port }: Extract<GraphEdit, { do: "connect" }>): QueryGraph {
  if (connectionProblem(graph, from, to) !== null) return graph;
  return mapped(graph, (node) => (node.id === to ? withPort(node, port, from) : node));
}

/** Return the graph after the edit; the same object without a change. */
export function applyEdit(graph: QueryGraph, edit: GraphEdit): QueryGraph {
  switch (edit.do) {
    case "add":
      return added(graph, edit);
    case "addBefore":
      return addedBefore(graph, edit);
    case "remove":
      return removed(graph, edit.ids);
    case "set":
      return mapped(graph, (node) => (node.id === edit.id ? ({ ...node, ...edit.fields } as GraphNode) : node));
    case "rename":
      return renamed(graph, edit.from, edit.to);
    case "connect":
      return connected(graph, edit);
    case "disconnect":
      return disconnected(graph, edit.to, edit.port);
    case "paste":
      return pasted(graph, edit.nodes);
    case "replace":
      return edit.graph;
  }
}
