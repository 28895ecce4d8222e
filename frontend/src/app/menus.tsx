import { useQueryClient } from "@tanstack/react-query";
import { Button, Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { useNavigate } from "react-router";
import { signOut } from "../lib/session";
import { chooseTheme, useTheme } from "../lib/theme";
import type { MyOrganisation } from "../model/api";

interface OrganisationMenuProps {
  organisations: readonly MyOrganisation[];
  slug: string;
}

export function OrganisationMenu({ organisations, slug }: OrganisationMenuProps) {
  const navigate = useNavigate();
  const current = organisations.find((each) => each.slug === slug);
  return (
    <MenuTrigger>
      <Button className="button" aria-label={`Organisation: ${current?.name ?? "none"}. Change organisation`}>
        {current?.name ?? "Choose an organisation"} <span aria-hidden="true">▾</span>
      </Button>
      <Popover className="menu" placement="bottom start">
        <Menu
          aria-label="Organisations"
          onAction={(key) => {
            void navigate(`/t/${String(key)}/runs`);
          }}
        >
          {organisations.map((each) => (
            <MenuItem key={each.slug} id={each.slug} className="menu-item" textValue={each.name}>
              {each.slug === slug ? "✓ " : ""}
              {each.name} <span className="quiet small">{each.role}</span>
            </MenuItem>
          ))}
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

export function AccountMenu({ email, slug }: { email: string; slug: string }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const leave = async () => {
    await signOut();
    queries.clear();
    await navigate("/sign-in");
  };
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
        <Menu
          aria-label="Account"
          onAction={(key) => void (key === "tokens" ? navigate(`/t/${slug}/tokens`) : leave())}
        >
          <MenuItem id="tokens" className="menu-item">
            Access tokens
          </MenuItem>
          <MenuItem id="sign-out" className="menu-item">
            Sign out
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
