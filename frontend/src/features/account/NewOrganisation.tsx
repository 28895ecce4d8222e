import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { EntryForm } from "../../components/EntryForm";
import { api, unwrap } from "../../lib/api";
import { withFields } from "../../lib/fieldFailure";
import { ME } from "../../lib/session";
import { shortNameOf } from "../../model/shortName";

/** What is wrong with a short name is told at its field. */
function create(name: string, slug: string) {
  return withFields(unwrap(api.POST("/api/organisations/", { body: { name, slug } })));
}

/** The form for a new organisation, whose first owner is whoever sends it. */
export function NewOrganisation({ onCancel }: { onCancel?: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [own, setOwn] = useState<string | null>(null);
  const slug = own ?? shortNameOf(name);
  return (
    <EntryForm
      entries={[
        { name: "name", label: "Name", value: name, onChange: setName, autoComplete: "organization" },
        {
          name: "slug",
          label: "Short name",
          value: slug,
          onChange: setOwn,
          mono: true,
          help: `It stands in the addresses of its pages: /t/${slug || "…"}/. It cannot be changed later.`,
        },
      ]}
      words={["Create the organisation", "Creating it…"]}
      send={(values) => create(values.name?.trim() ?? "", values.slug?.trim() ?? "")}
      onSent={async (made) => {
        await queries.invalidateQueries({ queryKey: ME });
        await navigate(`/t/${made.slug}`);
      }}
      {...(onCancel === undefined ? {} : { onCancel })}
      focus
    />
  );
}
