import { Link, useNavigate } from "react-router";
import { ErrorNote } from "../../components/Notices";
import { Scroll } from "../../components/Scroll";
import { DesiredMark, StateMark } from "../../components/StateMark";
import { StopButton } from "../../components/StopButton";
import { useStart } from "../../lib/runControl";
import { useMay, useSlug } from "../../lib/session";
import type { BindingShown } from "../../model/api";
import { isOpen } from "../../model/states";

function StartButton({ binding, start }: { binding: BindingShown; start: ReturnType<typeof useStart> }) {
  const slug = useSlug();
  const navigate = useNavigate();
  const starting = start.isPending && start.variables === binding.id;
  return (
    <button
      type="button"
      className="button"
      data-kind="primary"
      aria-label={`Start ${binding.name}`}
      disabled={start.isPending}
      onClick={() => start.mutate(binding.id, { onSuccess: (run) => void navigate(`/t/${slug}/runs/${run.id}`) })}
    >
      {starting ? "Starting…" : "Start"}
    </button>
  );
}

function Action({ binding, start }: { binding: BindingShown; start: ReturnType<typeof useStart> }) {
  const run = binding.latest_run;
  if (run === null || !isOpen(run)) return <StartButton binding={binding} start={start} />;
  if (run.desired === "stopped") return <span className="quiet">stopping</span>;
  return <StopButton binding={binding.id} name={binding.name} />;
}

function Inputs({ binding }: { binding: BindingShown }) {
  const slug = useSlug();
  return binding.inputs.map((input, index) => (
    <span key={input.node}>
      {index > 0 ? ", " : ""}
      <Link to={`/t/${slug}/streams/${input.stream}`}>{input.stream_name}</Link>
    </span>
  ));
}

interface RowProps {
  binding: BindingShown;
  start: ReturnType<typeof useStart>;
  mayOperate: boolean;
}

function Row({ binding, start, mayOperate }: RowProps) {
  const slug = useSlug();
  const run = binding.latest_run;
  return (
    <tr>
      <th scope="row">{run === null ? binding.name : <Link to={`/t/${slug}/runs/${run.id}`}>{binding.name}</Link>}</th>
      <td>{run === null ? null : <StateMark observed={run.observed} since={run.changed_at} />}</td>
      <td>{run === null ? <span className="quiet">never started</span> : <DesiredMark desired={run.desired} />}</td>
      <td className="message">{run?.message}</td>
      <td className="nowrap">
        <Link to={`/t/${slug}/queries/${binding.query}`}>{binding.query_name}</Link> v{binding.query_version_number}
      </td>
      <td>
        <Inputs binding={binding} />
      </td>
      <td className="num fixed">{mayOperate ? <Action binding={binding} start={start} /> : null}</td>
    </tr>
  );
}

/** Every binding with what is wanted of it, what is seen, and the button that changes it. */
export function Bindings({ bindings }: { bindings: readonly BindingShown[] }) {
  const mayOperate = useMay("operate");
  const start = useStart();
  return (
    <>
      {start.isError ? (
        <div className="inset">
          <ErrorNote error={start.error} />
        </div>
      ) : null}
      <Scroll label="Table of bindings">
        <table>
          <thead>
            <tr>
              <th>Binding</th>
              <th>Seen</th>
              <th>Wanted</th>
              <th>Last message</th>
              <th>Query</th>
              <th>Streams</th>
              <th className="fixed">
                <span className="visually-hidden">Start or stop</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {bindings.map((binding) => (
              <Row key={binding.id} binding={binding} start={start} mayOperate={mayOperate} />
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}
