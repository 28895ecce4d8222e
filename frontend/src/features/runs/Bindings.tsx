import { Link, useNavigate } from "react-router";
import { Scroll } from "../../components/page/Scroll";
import { StartButton } from "../../components/runControl/StartButton";
import { StopButton } from "../../components/runControl/StopButton";
import { DesiredMark, StateMark } from "../../components/values/StateMark";
import { useReason, useSlug } from "../../lib/account/session";
import type { BindingResponse } from "../../model/api";
import { isOpen } from "../../model/run/states";
import { ChangeQuery } from "./ChangeQuery";

interface ActionProps {
  binding: BindingResponse;
  /** The reason why it can't be started or stopped; null if it can. */
  reason: string | null;
}

/** The button that starts a binding or stops its run. */
export function Action({ binding, reason }: ActionProps) {
  const slug = useSlug();
  const navigate = useNavigate();
  const run = binding.latest_run;
  if (run === null || !isOpen(run))
    return (
      <StartButton
        binding={binding.id}
        name={binding.name}
        words="Start"
        label={`Start ${binding.name}`}
        reason={reason}
        onStarted={(started) => void navigate(`/t/${slug}/runs/${started.id}`)}
      />
    );
  if (run.desired === "stopped") return <span className="quiet">stopping</span>;
  return <StopButton binding={binding.id} name={binding.name} reason={reason} />;
}

function Inputs({ binding }: { binding: BindingResponse }) {
  const slug = useSlug();
  return binding.inputs.map((input, index) => (
    <span key={input.node}>
      {index > 0 ? ", " : ""}
      <Link to={`/t/${slug}/streams/${input.stream}`}>{input.stream_name}</Link>
    </span>
  ));
}

function Row({ binding, reason }: ActionProps) {
  const slug = useSlug();
  const run = binding.latest_run;
  return (
    <tr>
      <th scope="row">
        <Link to={`/t/${slug}/bindings/${binding.id}`}>{binding.name}</Link>
      </th>
      <td>
        {run === null ? null : (
          <>
            <StateMark observed={run.observed} since={run.changed_at} />{" "}
            <Link
              className="small nowrap"
              to={`/t/${slug}/runs/${run.id}`}
              aria-label={`Newest run of ${binding.name}`}
            >
              newest run
            </Link>
          </>
        )}
      </td>
      <td>
        {run === null ? <span className="quiet">never started</span> : null}
        {run !== null && isOpen(run) ? <DesiredMark desired={run.desired} /> : null}
      </td>
      <td className="message">{run?.message}</td>
      <td className="nowrap">
        <Link to={`/t/${slug}/queries/${binding.query}`}>{binding.query_name}</Link> v{binding.query_version_number}
      </td>
      <td>
        <Inputs binding={binding} />
      </td>
      <td>
        <ChangeQuery binding={binding} />
      </td>
      <td className="num fixed">
        <Action binding={binding} reason={reason} />
      </td>
    </tr>
  );
}

/** All bindings with their desired and observed state, and the button that changes it. */
export function Bindings({ bindings }: { bindings: readonly BindingResponse[] }) {
  const reason = useReason("operate");
  return (
    <Scroll label="Table of bindings">
      <table>
        <thead>
          <tr>
            <th>Binding</th>
            <th>State</th>
            <th>Desired state</th>
            <th>Last message</th>
            <th>Query</th>
            <th>Streams</th>
            <th>Runs in</th>
            <th className="fixed">
              <span className="visually-hidden">Start or stop</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {bindings.map((binding) => (
            <Row key={binding.id} binding={binding} reason={reason} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
