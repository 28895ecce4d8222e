import { NavLink, useParams } from "react-router";
import { Named } from "../../components/forms/FieldFaults";
import { Empty, ErrorNote, Waiting } from "../../components/notices/Notices";
import { PageHead } from "../../components/page/PageHead";
import { Panel } from "../../components/page/Panel";
import { useSlug } from "../../lib/account/session";
import { useInputKinds, useOutputKinds } from "../../lib/resources/adapterKinds";
import { optionDocs } from "../../messages/definition/adapterDocs";
import type { AdapterKind } from "../../model/api";
import { formFields } from "../../model/forms/schemaForm";

type Direction = "in" | "out";

interface ContentsProps {
  title: string;
  direction: Direction;
  kinds: readonly AdapterKind[];
}

function Contents({ title, direction, kinds }: ContentsProps) {
  const slug = useSlug();
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {kinds.map((each) => (
          <li key={each.kind}>
            <NavLink to={`/t/${slug}/adapters/${direction}/${each.kind}`}>{each.title}</NavLink>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Options({ kind }: { kind: AdapterKind }) {
  const docs = optionDocs(formFields(kind.options_schema));
  if (docs.length === 0) return <p>No options.</p>;
  return (
    <dl className="option-docs">
      {docs.map((each) => (
        <div key={each.name}>
          <dt>
            {each.title} <code>{each.name}</code>
          </dt>
          {each.help === "" ? null : (
            <dd>
              <Named text={each.help} />
            </dd>
          )}
          <dd className="quiet small">
            {each.holds}; {each.initial === "" ? "required" : `default: ${each.initial}`}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Facts({ kind, direction }: { kind: AdapterKind; direction: Direction }) {
  const fields = Object.entries(kind.fields ?? {});
  return (
    <>
      <p>
        <Named text={kind.help} />
      </p>
      {direction === "out" ? null : (
        <p>
          {kind.sends_ctis
            ? "It can carry CTIs: the data itself marks what is final."
            : "It carries no CTIs: the stream's settings advance time."}{" "}
          {fields.length === 0
            ? "Its fields are those of the data."
            : `Its fields: ${fields.map(([name, type]) => `${name} ${type}`).join(", ")}.`}
        </p>
      )}
    </>
  );
}

interface KindTextProps {
  name: string | undefined;
  kinds: readonly AdapterKind[];
  direction: Direction;
}

function KindText({ name, kinds, direction }: KindTextProps) {
  const slug = useSlug();
  const kind = name === undefined ? kinds[0] : kinds.find((each) => each.kind === name);
  const title = kind === undefined ? "Unknown kind" : `${kind.title}, ${direction === "out" ? "output" : "input"}`;
  return (
    <div className="stack start">
      <PageHead title={title} crumb={{ to: `/t/${slug}/streams`, label: "Streams" }} />
      {kind === undefined ? (
        <Empty title={`No adapter “${name}” is installed`}>
          <p>Choose one from the list. Installed packages can add kinds.</p>
        </Empty>
      ) : (
        <>
          <Facts kind={kind} direction={direction} />
          <Panel title="Options">
            <Options kind={kind} />
          </Panel>
        </>
      )}
    </div>
  );
}

/** A page for each installed kind of input and output: its purpose and its options, generated from the code. */
export function AdaptersPage() {
  const { direction: wanted, kind: name } = useParams();
  const [inputs, outputs] = [useInputKinds(), useOutputKinds()];
  const direction: Direction = wanted === "out" ? "out" : "in";
  const error = inputs.error ?? outputs.error;
  if (error !== null) return <ErrorNote error={error} />;
  if (inputs.data === undefined || outputs.data === undefined)
    return <Waiting>Loading the kinds of inputs and outputs…</Waiting>;
  return (
    <div className="guide">
      <aside>
        <nav className="guide-contents" aria-label="Kinds of inputs and outputs">
          <Contents title="Inputs" direction="in" kinds={inputs.data} />
          <Contents title="Outputs" direction="out" kinds={outputs.data} />
        </nav>
      </aside>
      <KindText name={name} kinds={direction === "out" ? outputs.data : inputs.data} direction={direction} />
    </div>
  );
}
