import { useState } from "react";
import { ErrorNote, Waiting } from "../../components/Notices";
import { Panel } from "../../components/Panel";
import { Scroll } from "../../components/Scroll";
import type { RunDefinitionShown, RunShown } from "../../model/api";
import { versionWords } from "../../model/versions";
import { useDefinition } from "./requests";

function Inputs({ inputs }: Pick<RunDefinitionShown, "inputs">) {
  return (
    <Scroll label="Table of the inputs of this run">
      <table>
        <thead>
          <tr>
            <th>Input</th>
            <th>Stream</th>
            <th>Adapter</th>
            <th>Fields</th>
            <th>CTIs and lateness</th>
          </tr>
        </thead>
        <tbody>
          {inputs.map(({ node, stream, adapter, definition, advance }) => (
            <tr key={node}>
              <th scope="row">{node}</th>
              <td>{stream}</td>
              <td>{adapter}</td>
              <td>
                {Object.entries(definition.fields)
                  .map(([name, type]) => `${name} ${typeof type === "string" ? type : JSON.stringify(type)}`)
                  .join(", ")}
              </td>
              <td>
                <code>{JSON.stringify(advance ?? definition.advance ?? {})}</code>
                <p className="quiet">{advance ? "said by the binding" : "said by the stream"}</p>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** The query, the streams and the settings of a run as they were at its start, whatever they are today. */
export function WhatRan({ run }: { run: RunShown }) {
  const [open, setOpen] = useState(false);
  const ran = useDefinition(run.id, open);
  return (
    <Panel
      title="What this run ran"
      note={`${run.query_name}, ${versionWords(run.query_version)}, bound as ${run.binding_name}: as it was at the start.`}
      actions={
        <button type="button" className="button" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Hide it" : "Show it"}
        </button>
      }
      flush
    >
      {open && ran.isPending ? <Waiting>Loading what it ran…</Waiting> : null}
      <ErrorNote error={ran.error} onRetry={() => void ran.refetch()} />
      {open && ran.isSuccess ? (
        <>
          <pre className="explained">{ran.data.text}</pre>
          <Inputs inputs={ran.data.inputs} />
        </>
      ) : null}
    </Panel>
  );
}
