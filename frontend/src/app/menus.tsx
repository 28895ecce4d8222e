import { useQueryClient } from "@tanstack/react-query";
import { Button, Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { useLocation, useNavigate } from "react-router";
import { signOut } from "../lib/account/authentication";
import { chooseTheme, useTheme } from "../lib/browser/theme";
import { useTour } from "../lib/tour";
import type { Me } from "../model/api";
import { initials } from "../model/organisation/initials";
import { NOT_BEGUN } from "../model/organisation/tour";

interface OrganisationMenuProps {
  me: Me;
  /** Null outside of organisations. */
  slug: string | null;
}

export function OrganisationMenu({ me, slug }: OrganisationMenuProps) {
  const navigate = useNavigate();
  const current = me.organisations.find((each) => each.slug === slug);
  if (me.organisations.length === 0 && !me.may_create_organisations) return null;
  return (
    <MenuTrigger>
      <Button
        className="button"
        {...(current === undefined ? {} : { "aria-label": `Organisation: ${current.name}. Change organisation` })}
      >
        <span className="initials" aria-hidden="true" data-initials={initials(current?.name ?? "Organisations")} />
        <span className="clipped">{current?.name ?? "Organisations"}</span> <span aria-hidden="true">▾</span>
      </Button>
      <Popover className="menu" placement="bottom start">
        <Menu aria-label="Organisations" onAction={(key) => void navigate(String(key))}>
          {me.organisations.map((each) => (
            <MenuItem key={each.slug} id={`/t/${each.slug}`} className="menu-item" textValue={each.name}>
              {each.slug === slug ? "✓ " : ""}
              {each.name} <span className="quiet small">{each.role}</span>
            </MenuItem>
          ))}
          {me.may_create_organisations ? (
            <MenuItem id="/organisations/new" className="menu-item apart">
              Create an organisation…
            </MenuItem>
          ) : null}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

/** Links to the tour, the guide and the references. */
export function HelpMenu({ slug }: { slug: string | null }) {
  const navigate = useNavigate();
  const { state, open } = useTour(slug ?? "");
  const { pathname } = useLocation();
  const act = (key: string) => {
    if (key !== "tour") return void navigate(key);
    open();
    if (!pathname.startsWith(`/t/${slug}`)) void navigate(`/t/${slug}`);
  };
  return (
    <MenuTrigger>
      <Button className="button" data-kind="plain" aria-label="Help" data-tour-again>
        <span aria-hidden="true">?</span>
      </Button>
      <Popover className="menu" placement="bottom end">
        <Menu aria-label="Help" onAction={(key) => act(String(key))}>
          {slug === null ? null : (
            <MenuItem id="tour" className="menu-item">
              {state.step === NOT_BEGUN.step ? "Take the tour" : "Continue the tour"}
            </MenuItem>
          )}
          <MenuItem id="/guide" className="menu-item">
            Guide
          </MenuItem>
          {slug === null ? null : (
            <MenuItem id={`/t/${slug}/adapters`} className="menu-item">
              Inputs and outputs
            </MenuItem>
          )}
          <MenuItem id="/api/" className="menu-item">
            API
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

export function ThemeButton() {
  const theme = useTheme();
  const other = theme === "dark" ? "light" : "dark";
  return (
    <button
      type="button"
      className="button"
      data-kind="plain"
      onClick={() => chooseTheme(other)}
      aria-label={`Use ${other} colours`}
      title={`Use ${other} colours`}
    >
      <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" strokeWidth="1.6" />
        <path d="M8 1.8a6.2 6.2 0 0 1 0 12.4z" fill="currentColor" />
      </svg>
    </button>
  );
}

/** End the session and clear all data loaded in it. */
export function useSignOut() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    await signOut();
    queries.clear();
    await navigate("/sign-in");
  };
}

export function AccountMenu({ email, slug }: { email: string; slug: string | null }) {
  const navigate = useNavigate();
  const leave = useSignOut();
  return (
    <MenuTrigger>
      <Button className="button" data-kind="plain" aria-label={`Account of ${email}`}>
        <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
          <circle cx="8" cy="5" r="3" fill="none" stroke="currentColor" strokeWidth="1.6" />
          <path d="M2 14.5c.6-3.4 3-5 6-5s5.4 1.6 6 5" fill="none" stroke="currentColor" strokeWidth="1.6" />
        </svg>
      </Button>
      <Popover className="menu" placement="bottom end">
        <p className="quiet small menu-note">{email}</p>
        <Menu aria-label="Account" onAction={(key) => void (key === "sign-out" ? leave() : navigate(String(key)))}>
          <MenuItem id="/account/profile" className="menu-item">
            Your account
          </MenuItem>
          {slug === null ? null : (
            <MenuItem id={`/t/${slug}/tokens`} className="menu-item">
              Access tokens
            </MenuItem>
          )}
          <MenuItem id="sign-out" className="menu-item">
            Sign out
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
