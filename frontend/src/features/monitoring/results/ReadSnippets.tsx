import { useState } from "react";
import { SelectField } from "../../../components/forms/Field";
import { Snippets } from "../../../components/values/Snippets";
import { useSlug } from "../../../lib/account/session";
import type { RunResponse } from "../../../model/api";
import { curlSnippet, outputAddress, pythonSnippet } from "../../../model/results/readSnippets";
import { outputsOf } from "../../../model/results/resultExport";
import { useDefinition } from "../requests";

/** Programs that read the rows of an output of this run's binding, folded until somebody wants them. */
export function ReadSnippets({ run }: { run: RunResponse }) {
  const slug = useSlug();
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState("");
  const outputs = outputsOf(useDefinition(run.id, open).data?.graph);
  const output = chosen || outputs[0];
  const address = output && outputAddress(window.location.origin, slug, run.binding, output);
  return (
    <details className="folded padded" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Read these results from a program</summary>
      {address ? (
        <div className="stack padded">
          {outputs.length > 1 ? (
            <SelectField
              label="Output of the query"
              value={output}
              options={outputs.map((name) => [name, name])}
              onChange={setChosen}
            />
          ) : null}
          <Snippets purpose="Read results" texts={{ curl: curlSnippet(address), Python: pythonSnippet(address) }} />
          <p className="quiet small">
            The stream continues with later runs of this binding, and sends each row exactly once. Create the token
            under Access tokens; the role viewer is enough.
          </p>
        </div>
      ) : null}
    </details>
  );
}
