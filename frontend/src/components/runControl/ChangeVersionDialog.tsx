import { useState } from "react";
import { Link } from "react-router";
import { useSlug } from "../../lib/account/session";
import { useNextStart, useTimeline } from "../../lib/resources/runControl";
import { useChangeRefusal, useChangeVersion } from "../../lib/resources/versionChange";
import type { RunResponse, VersionResponse } from "../../model/api";
import { ModalDialog } from "../actions/ModalDialog";
import { ReasonedButton } from "../actions/Reasoned";
import { SelectField } from "../forms/Field";
import { ErrorNote, Notice, Waiting } from "../notices/Notices";
import { OpenWords } from "./NextStartWords";
import { NodeDifferences } from "./NodeDifferences";
import { goneWords, RereadCheck } from "./RereadCheck";

interface ChangeVersionDialogProps {
  run: RunResponse;
  /** The versions to choose from, the proposed one first. */
  versions: readonly VersionResponse[];
  onClose: () => void;
  /** Called when the change was requested, before `onClose`. */
  onRequested?: () => void;
}

function wordsOf({ number, comment }: VersionResponse): string {
  return comment === "" ? `version ${number}` : `version ${number}: ${comment}`;
}

/** Change an active run to another version without a pause. */
export function ChangeVersionDialog({ run, versions, onClose, onRequested }: ChangeVersionDialogProps) {
  const slug = useSlug();
  const [number, setNumber] = useState(String(versions[0]?.number));
  const version = versions.find((each) => String(each.number) === number);
  const { begin } = useChangeVersion(run.binding);
  const standing = useChangeRefusal(run.binding, version?.id);
  const next = useNextStart(run.binding, true, version?.id);
  const asked = useTimeline(run.binding, null, { wanted: standing.data?.refusal === null, version: version?.id });
  const refusal = standing.data?.refusal ?? goneWords(asked.inputs ?? []);
  const requested = () => {
    onRequested?.();
    onClose();
  };
  const change = () => version && begin.mutate(version.id, { onSuccess: requested });
  return (
    <ModalDialog title={`Change ${run.binding_name} to another version`} wide open onClose={onClose}>
      <SelectField
        label="Version"
        value={number}
        options={versions.map((each) => [String(each.number), wordsOf(each)] as const)}
        onChange={setNumber}
      />
      <p>
        The new version first reads the rows of open windows again, while this run continues. When it has caught up,
        this run stops and the new version takes over at the same CTI. No window is missing or repeated.
      </p>
      {next.data === undefined ? <Waiting>Loading open windows…</Waiting> : <OpenWords next={next.data} />}
      {next.data === undefined ? null : <NodeDifferences next={next.data} beside />}
      {standing.data?.refusal === null ? <RereadCheck asked={asked.inputs ?? []} /> : null}
      <ErrorNote error={standing.error ?? next.error} />
      {refusal === null ? null : (
        <Notice tone="unknown">
          <p>
            <strong>The version can't be changed without a pause.</strong> {refusal}
          </p>
          <p>
            To stop and start it instead, set the version in{" "}
            <Link to={`/t/${slug}/bindings/${run.binding}`}>the binding's settings</Link>, then stop and start the run.
          </p>
        </Notice>
      )}
      <ErrorNote error={begin.error} />
      <p className="row">
        <ReasonedButton
          reason={refusal}
          kind="primary"
          onClick={change}
          aria-disabled={begin.isPending || standing.data === undefined}
        >
          {begin.isPending ? "Requesting…" : `Change to version ${number} without a pause`}
        </ReasonedButton>
        <button type="button" className="button" onClick={onClose}>
          Not now
        </button>
      </p>
    </ModalDialog>
  );
}
