/** The query as a list: the editor for keyboards, screen readers and narrow screens, as capable as the canvas. */

import { type KeyboardEvent, useId, useRef, useState } from "react";
import { KIND_LABELS, nodeLines } from "../../../messages/definition/summary";
import type { GraphNode } from "../../../model/api";
import { onlyOne } from "../../../model/graph/edit/forms";
import { NOTHING, type NodeKind } from "../../../model/graph/edit/kinds";
import { portsOf, readableFor } from "../../../model/graph/edit/ports";
import type { NodeCommands } from "../canvas/commands";
import { Palette } from "../canvas/Palette";
import { NodeForm } from "../inspector/Inspector";
import { useDesigner } from "../page/designer";

interface ItemProps {
  node: GraphNode;
  open: boolean;
  commands: NodeCommands;
  /** Open this item, or close all. */
  onOpen: (id: string | null) => void;
}

/** Let another node read this one: "connect to ..." by name and port. */
function ConnectTo({ node }: { node: GraphNode }) {
  const { graph, act } = useDesigner();
  const id = useId();
  if (graph === null || node.kind === "output") return null;
  const targets = graph.nodes
    .filter((each) => readableFor(graph, each.id).includes(node.id))
    .flatMap((each) =>
      portsOf(each).map((port) => ({ to: each.id, port: port.name, label: port.label, reads: port.reads })),
    )
    .filter(({ reads }) => reads !== node.id);
  const connect = (chosen: string) => {
    const found = targets.find(({ to, port }) => `${to}:${port}` === chosen);
    if (found !== undefined) act.edit({ do: "connect", from: node.id, to: found.to, port: found.port });
  };
  return (
    <span className="connect">
      <label htmlFor={id} className="visually-hidden">
        Connect {node.id} to
      </label>
      <select id={id} value="" onChange={(event) => connect(event.target.value)}>
        <option value="">Connect to…</option>
        {targets.map(({ to, port, label, reads }) => (
          <option key={`${to}:${port}`} value={`${to}:${port}`}>
            {`${to}${label ? `, ${label}` : ""}${reads === NOTHING ? "" : ` (instead of ${reads})`}`}
          </option>
        ))}
      </select>
    </span>
  );
}

type Adding = "before" | "after" | null;

function Actions({ node, commands }: { node: GraphNode; commands: NodeCommands }) {
  const [adding, setAdding] = useState<Adding>(null);
  const [port] = portsOf(node);
  const pick = (kind: NodeKind) => {
    if (adding === "after") commands.add(kind, { after: node.id });
    else if (port !== undefined) commands.addBefore(kind, node.id, port.name);
    setAdding(null);
  };
  const says =
    adding === "after" ? `Inserted between ${node.id} and the nodes that read it.` : `Inserted before ${node.id}.`;
  return (
    <>
      <span className="row">
        {port === undefined ? null : (
          <button type="button" className="button" onClick={() => setAdding("before")}>
            Add before
          </button>
        )}
        {node.kind === "output" ? null : (
          <button type="button" className="button" onClick={() => setAdding("after")}>
            Add after
          </button>
        )}
        <ConnectTo node={node} />
        <button type="button" className="button" onClick={() => commands.duplicate([node.id])}>
          Duplicate
        </button>
        <button type="button" className="button" data-kind="danger" onClick={() => commands.remove([node.id])}>
          Delete
        </button>
      </span>
      {adding === null ? null : (
        <Palette
          says={says}
          without={adding === "after" ? ["input"] : ["output"]}
          onPick={pick}
          onClose={() => setAdding(null)}
        />
      )}
    </>
  );
}

function Item({ node, open, commands, onOpen }: ItemProps) {
  const { known, comments, readOnly, locked } = useDesigner();
  const faults = known.filter((fault) => fault.node === node.id);
  const ports = portsOf(node).filter(
    ({ reads }, index, all) => index + 1 < all.length || node.kind !== "union" || reads !== NOTHING,
  );
  const reads = ports.map((each) => (each.reads === NOTHING ? "nothing yet" : each.reads)).join(", ");
  const id = useId();
  return (
    <li className="outline-item" data-open={open} data-severity={faults[0]?.severity}>
      <button
        type="button"
        className="outline-head"
        data-node={node.id}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => onOpen(open ? null : node.id)}
      >
        <strong>{node.id}</strong> <span className="quiet">{KIND_LABELS[node.kind]}</span>
        {reads ? <span className="quiet"> reads {reads}</span> : null}
        <span className="outline-lines">{nodeLines(node).join("; ")}</span>
        {comments[node.id] ? <span className="outline-lines quiet">{comments[node.id]}</span> : null}
        {faults.map((fault) => (
          <span key={fault.code + fault.message} className="flag">
            {fault.severity === "error" ? "✕ Error: " : "! Warning: "}
            {fault.message} {fault.remedy}
          </span>
        ))}
      </button>
      {open ? (
        <div id={id} className="stack">
          {readOnly || locked !== null ? null : <Actions node={node} commands={commands} />}
          <NodeForm key={node.kind} node={node} />
        </div>
      ) : null}
    </li>
  );
}

const MOVES: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Up and down move between the headings; Delete deletes the node whose heading has the focus. */
function useHeads(commands: NodeCommands) {
  const list = useRef<HTMLOListElement>(null);
  const { readOnly } = useDesigner();
  const onKeyDown = (event: KeyboardEvent) => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || target.dataset.node === undefined) return;
    const heads = [...(list.current?.querySelectorAll<HTMLElement>("[data-node]") ?? [])];
    const at = heads.indexOf(target);
    const by = MOVES[event.key];
    if (by !== undefined) {
      event.preventDefault();
      heads[at + by]?.focus();
    }
    if (event.key === "Delete" && !readOnly) {
      event.preventDefault();
      (heads[at + 1] ?? heads[at - 1])?.focus();
      commands.remove([target.dataset.node]);
    }
  };
  return { list, onKeyDown };
}

export function Outline({ commands }: { commands: NodeCommands }) {
  const { graph, selected, select } = useDesigner();
  const { list, onKeyDown } = useHeads(commands);
  const open = onlyOne(selected);
  return (
    <ol className="outline" ref={list} aria-label="Nodes in order" onKeyDown={onKeyDown}>
      {(graph?.nodes ?? []).map((node) => (
        <Item
          key={node.id}
          node={node}
          open={node.id === open}
          commands={commands}
          onOpen={(id) => select(id === null ? [] : [id])}
        />
      ))}
    </ol>
  );
}
