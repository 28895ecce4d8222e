import { Navigate, NavLink, Route, Routes } from "react-router";
import { useSlug } from "../../lib/session";
import { AuditPage } from "./AuditPage";
import { LimitsPage } from "./LimitsPage";
import { MembersPage } from "./MembersPage";
import { OrganisationPage } from "./OrganisationPage";
import { RolesPage } from "./RolesPage";
import { ServiceAccountPage } from "./ServiceAccountPage";
import { ServiceAccountsPage } from "./ServiceAccountsPage";
import { TokensPage } from "./TokensPage";

const PAGES = [
  ["members", "Members"],
  ["roles", "Roles"],
  ["service-accounts", "Service accounts"],
  ["tokens", "Access tokens"],
  ["limits", "Limits"],
  ["audit", "Audit log"],
  ["organisation", "Settings"],
] as const;

/** The pages of an organisation, beside their names. */
export function AdminPages() {
  const slug = useSlug();
  return (
    <div className="admin">
      <nav className="side" aria-label="Organisation">
        {PAGES.map(([path, name]) => (
          <NavLink key={path} to={`/t/${slug}/admin/${path}`}>
            {name}
          </NavLink>
        ))}
      </nav>
      <div className="stack start">
        <Routes>
          <Route index element={<Navigate to="members" replace />} />
          <Route path="members" element={<MembersPage />} />
          <Route path="roles" element={<RolesPage />} />
          <Route path="service-accounts" element={<ServiceAccountsPage />} />
          <Route path="service-accounts/:account" element={<ServiceAccountPage />} />
          <Route path="tokens" element={<TokensPage />} />
          <Route path="limits" element={<LimitsPage />} />
          <Route path="audit" element={<AuditPage />} />
          <Route path="organisation" element={<OrganisationPage />} />
          <Route path="*" element={<Navigate to={`/t/${slug}/admin/members`} replace />} />
        </Routes>
      </div>
    </div>
  );
}
