import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ActionButton } from "../../components/ActionButton";
import { Ask } from "../../components/Ask";
import { DraftGuard } from "../../components/DraftGuard";
import { EntryForm } from "../../components/EntryForm";
import { SelectField } from "../../components/Field";
import { IsoInstant } from "../../components/Instant";
import { ErrorNote, Notice, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { Panel } from "../../components/Panel";
import { ReasonedButton } from "../../components/Reasoned";
import { api, unwrap } from "../../lib/api";
import { useDrafted } from "../../lib/drafts";
import { withFields } from "../../lib/fieldFailure";
import { ME, useReason, useSlug } from "../../lib/session";
import type { MemberShown, OrganisationShown } from "../../model/api";
import { Exports } from "./Exports";
import { useMembers, useOrganisationShown, useRefresh } from "./requests";

/** Asks again for all that an owner's decision changes. */
function useDecided() {
  const queries = useQueryClient();
  const refresh = useRefresh();
  return async () => {
    await queries.invalidateQueries({ queryKey: ME });
    await refresh("organisation", "members", "runs", "audit");
  };
}

interface PartProps {
  organisation: OrganisationShown;
  reason: string | null;
}

function Renaming({ organisation, reason }: PartProps) {
  const slug = useSlug();
  const decided = useDecided();
  const [open, setOpen] = useState(false);
  const draft = useDrafted("organisation's name", { name: organisation.name });
  const close = () => {
    draft.done();
    setOpen(false);
  };
  const rename = (name: string) =>
    withFields(unwrap(api.PUT("/api/t/{slug}/organisation/", { params: { path: { slug } }, body: { name } })));
  return (
    <>
      <ReasonedButton reason={reason} onClick={() => setOpen(true)}>
        Rename…
      </ReasonedButton>
      <Ask title="Rename the organisation" open={open} onClose={() => setOpen(false)}>
        <EntryForm
          entries={[
            {
              name: "name",
              label: "Name",
              value: draft.value.name,
              onChange: (name) => draft.change({ name }),
              autoComplete: "organization",
            },
          ]}
          words={["Rename it", "Renaming it…"]}
          send={({ name = "" }) => rename(name.trim())}
          onSent={async () => {
            await decided();
            close();
          }}
          onCancel={close}
          focus
        >
          <DraftGuard draft={draft} />
        </EntryForm>
      </Ask>
    </>
  );
}

function Identity({ organisation, reason }: PartProps) {
  return (
    <Panel title="Name" actions={<Renaming organisation={organisation} reason={reason} />}>
      <dl className="facts">
        <dt>Name</dt>
        <dd>{organisation.name}</dd>
        <dt>Short name</dt>
        <dd>
          <code>{organisation.slug}</code> <span className="quiet">stands in addresses and stays</span>
        </dd>
        <dt>Made</dt>
        <dd>
          <IsoInstant iso={organisation.created_at} />
          {organisation.created_by ? ` by ${organisation.created_by}` : ""}
        </dd>
      </dl>
    </Panel>
  );
}

function HandOver({ others, onDone }: { others: readonly MemberShown[]; onDone: () => void }) {
  const slug = useSlug();
  const decided = useDecided();
  const [chosen, setChosen] = useState(others[0]?.id ?? "");
  const person = others.find((each) => each.id === chosen);
  const hand = () =>
    unwrap(api.POST("/api/t/{slug}/organisation/transfer/", { params: { path: { slug } }, body: { member: chosen } }));
  return (
    <>
      <SelectField
        label="New owner"
        value={chosen}
        options={others.map((each) => [each.id, `${each.email} (${each.role})`] as const)}
        onChange={setChosen}
      />
      <p>{person?.email} becomes owner, and you become admin: only they can give the organisation back.</p>
      <div className="row">
        <ActionButton
          words={["Hand it over", "Handing it over…"]}
          act={hand}
          onDone={async () => {
            onDone();
            await decided();
          }}
          kind="danger"
        />
        <button type="button" className="button" onClick={onDone}>
          Keep it
        </button>
      </div>
    </>
  );
}

function Transfer({ reason }: { reason: string | null }) {
  const [open, setOpen] = useState(false);
  const others = useMembers().data?.filter((each) => !each.me) ?? [];
  const alone = others.length === 0 ? "There is nobody else here. Invite the person first." : null;
  return (
    <Panel
      title="Owner"
      actions={
        <ReasonedButton reason={reason ?? alone} onClick={() => setOpen(true)}>
          Hand over…
        </ReasonedButton>
      }
    >
      <p className="quiet small">
        Another member becomes owner in your place. For a second owner, give somebody the role owner under Members.
      </p>
      <Ask title="Hand the organisation over" open={open} onClose={() => setOpen(false)}>
        <HandOver others={others} onDone={() => setOpen(false)} />
      </Ask>
    </Panel>
  );
}

function AskForDeletion({ organisation, onDone }: { organisation: OrganisationShown; onDone: () => void }) {
  const slug = useSlug();
  const decided = useDecided();
  const remove = (typed: string) =>
    withFields(
      unwrap(api.POST("/api/t/{slug}/organisation/deletion/", { params: { path: { slug } }, body: { slug: typed } })),
    );
  return (
    <>
      <p>
        All of its runs are stopped now, and nothing can be started or changed. After the days of grace everything of it
        is deleted: streams, queries, results, members, tokens. Until then it can be read and exported, and an owner can
        take this back. All owners get a mail.
      </p>
      <EntryForm
        entries={[
          {
            name: "slug",
            label: `Type the short name, ${organisation.slug}`,
            mono: true,
          },
        ]}
        words={["Delete the organisation", "Asking for it…"]}
        send={({ slug: typed = "" }) => remove(typed.trim())}
        onSent={async () => {
          onDone();
          await decided();
        }}
        onCancel={onDone}
        danger
        focus
      />
    </>
  );
}

function TakeBack({ organisation, reason }: PartProps) {
  const slug = useSlug();
  const decided = useDecided();
  const back = () => unwrap(api.DELETE("/api/t/{slug}/organisation/deletion/", { params: { path: { slug } } }));
  return (
    <div className="stack">
      <Notice tone="bad">
        <p>
          It is deleted after <IsoInstant iso={organisation.delete_after ?? ""} />. What was stopped stays stopped when
          this is taken back.
        </p>
      </Notice>
      <div className="row">
        {reason === null ? (
          <ActionButton
            words={["Take the deletion back", "Taking it back…"]}
            act={back}
            onDone={decided}
            kind="primary"
          />
        ) : (
          <ReasonedButton reason={reason}>Take the deletion back</ReasonedButton>
        )}
      </div>
    </div>
  );
}

function Deletion({ organisation, reason }: PartProps) {
  const [open, setOpen] = useState(false);
  const asked = organisation.delete_after !== null;
  return (
    <Panel
      title="Deletion"
      actions={
        asked ? null : (
          <ReasonedButton reason={reason} kind="danger" onClick={() => setOpen(true)}>
            Delete…
          </ReasonedButton>
        )
      }
    >
      {asked ? (
        <TakeBack organisation={organisation} reason={reason} />
      ) : (
        <p className="quiet small">
          Stops everything at once, and deletes all of it after some days of grace, in which it can be taken back.
        </p>
      )}
      <Ask title={`Delete ${organisation.name}?`} open={open} onClose={() => setOpen(false)}>
        <AskForDeletion organisation={organisation} onDone={() => setOpen(false)} />
      </Ask>
    </Panel>
  );
}

/** The organisation itself: its name, its owner, all of it as a file, its end. */
export function OrganisationPage() {
  const organisation = useOrganisationShown();
  const reason = useReason("own");
  return (
    <>
      <PageHead title="Settings" />
      {organisation.isPending ? <Waiting>Loading the organisation…</Waiting> : null}
      <ErrorNote error={organisation.error} onRetry={() => void organisation.refetch()} />
      {organisation.data === undefined ? null : (
        <>
          <Identity organisation={organisation.data} reason={reason} />
          <Transfer reason={reason} />
          <Exports reason={reason} />
          <Deletion organisation={organisation.data} reason={reason} />
        </>
      )}
    </>
  );
}
