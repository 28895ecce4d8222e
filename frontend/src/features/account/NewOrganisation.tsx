import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { DraftGuard } from "../../components/forms/DraftGuard";
import { EntryForm } from "../../components/forms/EntryForm";
import { ME } from "../../lib/account/session";
import { api, unwrap } from "../../lib/api/client";
import { withFields } from "../../lib/api/fieldFailure";
import { useDrafted } from "../../lib/drafts/drafts";
import { shortNameOf } from "../../model/organisation/shortName";

interface Typed {
  name: string;
  /** The typed short name; null while it follows the name. */
  own: string | null;
}

/** Create the organisation. Errors of the short name appear at its field. */
function create(name: string, slug: string) {
  return withFields(unwrap(api.POST("/api/organisations/", { body: { name, slug } })));
}

/** The form for a new organisation; its creator becomes the first owner. */
export function NewOrganisation({ onCancel }: { onCancel?: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const draft = useDrafted<Typed>("new organisation", { name: "", own: null });
  const { name, own } = draft.value;
  const slug = own ?? shortNameOf(name);
  const cancel = () => {
    draft.done();
    onCancel?.();
  };
  return (
    <EntryForm
      entries={[
        {
          name: "name",
          label: "Name",
          value: name,
          onChange: (next) => draft.change({ name: next, own }),
          autoComplete: "organization",
        },
        {
          name: "slug",
          label: "Short name",
          value: slug,
          onChange: (next) => draft.change({ name, own: next }),
          mono: true,
          help: `Part of its addresses: /t/${slug || "…"}/. It can't be changed later.`,
        },
      ]}
      words={["Create organisation", "Creating…"]}
      send={(values) => create(values.name?.trim() ?? "", values.slug?.trim() ?? "")}
      onSent={async (made) => {
        draft.done();
        await queries.invalidateQueries({ queryKey: ME });
        await navigate(`/t/${made.slug}`);
      }}
      {...(onCancel === undefined ? {} : { onCancel: cancel })}
      focus
    >
      <DraftGuard draft={draft} />
    </EntryForm>
  );
}
