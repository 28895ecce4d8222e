import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { Choices } from "../../components/actions/Choices";
import { ModalDialog } from "../../components/actions/ModalDialog";
import { ReasonedButton } from "../../components/actions/Reasoned";
import { SelectField, TextField } from "../../components/forms/Field";
import { FaultyForm } from "../../components/forms/FieldFaults";
import { FormButtons } from "../../components/forms/FormEnd";
import { ErrorNote } from "../../components/notices/Notices";
import { Panel } from "../../components/page/Panel";
import { Scroll } from "../../components/page/Scroll";
import { Second } from "../../components/values/Instant";
import { ToneMark } from "../../components/values/StateMark";
import { useReason, useSlug } from "../../lib/account/session";
import { useBindingChoices } from "../../lib/resources/bindings";
import { stateWords } from "../../model/alerts/incidents";
import type { IncidentResponse } from "../../model/api";
import type { Ticks } from "../../model/time/ticks";
import { type IncidentState, useIncidents, useOpenIncident } from "./requests";

const STATES = [
  ["open", "Open"],
  ["resolved", "Resolved"],
] as const;

function OpenForm({ onDone }: { onDone: () => void }) {
  const [title, setTitle] = useState("");
  const [binding, setBinding] = useState("");
  const bindings = useBindingChoices().data ?? [];
  const open = useOpenIncident();
  const opening = useMutation({
    mutationFn: () => open({ title: title.trim(), binding: binding === "" ? null : binding }),
    onSuccess: onDone,
  });
  const submit = () => {
    if (!opening.isPending) opening.mutate();
  };
  const options = [["", "the organisation"], ...bindings.map(({ id, name }) => [id, name])] as [string, string][];
  return (
    <FaultyForm error={opening.error} paths={["title"]} onSubmit={submit}>
      <TextField label="Title" path="title" value={title} onChange={setTitle} required />
      <SelectField label="Of" value={binding} options={options} onChange={setBinding} />
      <FormButtons words={["Open incident", "Opening…"]} isPending={opening.isPending} onCancel={onDone} />
    </FaultyForm>
  );
}

function OpenIncident() {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <ReasonedButton reason={useReason("operate")} onClick={() => setOpen(true)}>
        Open incident…
      </ReasonedButton>
      <ModalDialog title="Open an incident" open={open} onClose={close}>
        <p>Rules open incidents automatically. Open one for trouble that no rule reports.</p>
        <OpenForm onDone={close} />
      </ModalDialog>
    </>
  );
}

function IncidentRow({ incident, now }: { incident: IncidentResponse; now: Ticks }) {
  const slug = useSlug();
  const { id, number, title, binding, begin, resolved_at: end, taken_by: taker } = incident;
  return (
    <tr>
      <th scope="row">
        <Link to={`/t/${slug}/incidents/${id}`}>
          #{number} {title}
        </Link>
      </th>
      <td>{binding?.name ?? "Organisation"}</td>
      <td className="nowrap">
        <ToneMark tone={end === null ? "bad" : "done"} label={stateWords(incident, now)} />
      </td>
      <td>
        <Second ticks={begin} />
      </td>
      <td>{taker ?? "nobody"}</td>
    </tr>
  );
}

/** The incidents of the organisation, newest first. */
export function IncidentsPanel() {
  const [state, setState] = useState<IncidentState>("open");
  const { data: page, error, refetch } = useIncidents(state);
  const empty = page?.incidents.length === 0;
  return (
    <Panel
      title="Incidents"
      actions={
        <>
          <Choices label="State of incidents" options={STATES} value={state} onChange={setState} />
          <OpenIncident />
        </>
      }
      flush={!empty}
    >
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {empty ? <p className="quiet">{state === "open" ? "No open incident." : "No resolved incident."}</p> : null}
      {page === undefined || empty ? null : (
        <Scroll label="Table of incidents" tall>
          <table>
            <thead>
              <tr>
                <th>Incident</th>
                <th>Binding</th>
                <th>State</th>
                <th>Began (UTC)</th>
                <th>Taken by</th>
              </tr>
            </thead>
            <tbody>
              {page.incidents.map((incident) => (
                <IncidentRow key={incident.id} incident={incident} now={page.now} />
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {page === undefined || page.next === null ? null : (
        <p className="more quiet">Only the newest {page.incidents.length} incidents are listed; the API has all.</p>
      )}
    </Panel>
  );
}
