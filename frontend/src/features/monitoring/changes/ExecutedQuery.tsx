import { useState } from "react";
import { ErrorNote, Waiting } from "../../../components/notices/Notices";
import { Panel } from "../../../components/page/Panel";
import { Scroll } from "../../../components/page/Scroll";
import { versionWords } from "../../../messages/run/versions";
import type { RunDefinitionResponse, RunResponse } from "../../../model/api";
import { useDefinition } from "../requests";

function Inputs({ inputs }: Pick<RunDefinitionResponse, "inputs">) {
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
                <p className="quiet">{advance ? "set by the binding" : "set by the stream"}</p>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** The query, streams and settings of a run as of its start. */
export function ExecutedQuery({ run }: { run: RunResponse }) {
  const [open, setOpen] = useState(false);
  const ran = useDefinition(run.id, open);
  return (
    <Panel
      title="Executed query"
      note={`${run.query_name}, ${versionWords(run.query_version)}, bound as ${run.binding_name}, as of the start of the run`}
      actions={
        <button type="button" className="button" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Hide" : "Show"}
        </button>
      }
      flush
    >
      {open && ran.isPending ? <Waiting>Loading the executed query…</Waiting> : null}
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
