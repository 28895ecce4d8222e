/** Every page and its address. Pages load when first opened. */

import { createBrowserRouter, Navigate, type RouteObject } from "react-router";
import { PageBroken } from "../components/page/ErrorBoundary";
import { ORGANISATION_PAGES } from "./pages";
import { Shell } from "./Shell";

const people = () => import("../features/account");
const home = async () => ({ Component: (await import("./Home")).Home });

/** The pages for people who are not signed in yet. */
const wayIn: RouteObject[] = [
  { path: "/sign-in", lazy: async () => ({ Component: (await people()).SignInPage }) },
  { path: "/sign-in/second-factor", lazy: async () => ({ Component: (await people()).SecondStepPage }) },
  { path: "/sign-in/return", lazy: async () => ({ Component: (await people()).ProviderReturnPage }) },
  { path: "/sign-up", lazy: async () => ({ Component: (await people()).SignUpPage }) },
  { path: "/sign-up/finish", lazy: async () => ({ Component: (await people()).FinishSignUpPage }) },
  { path: "/verify-email", lazy: async () => ({ Component: (await people()).MailboxPage }) },
  { path: "/verify-email/:key", lazy: async () => ({ Component: (await people()).VerifyEmailPage }) },
  { path: "/reset-password", lazy: async () => ({ Component: (await people()).AskForResetPage }) },
  { path: "/reset-password/:key", lazy: async () => ({ Component: (await people()).ResetPasswordPage }) },
  { path: "/invitation", lazy: async () => ({ Component: (await people()).InvitationPage }) },
  {
    path: "/organisations/new",
    lazy: async () => ({ Component: (await import("./NewOrganisationPage")).NewOrganisationPage }),
  },
];

export const router = createBrowserRouter([
  {
    errorElement: <PageBroken />,
    HydrateFallback: () => null,
    children: [
      { path: "/", lazy: home },
      ...wayIn,
      { path: "/example/:name", lazy: async () => ({ Component: (await import("./ExampleLink")).ExampleLink }) },
      {
        lazy: async () => ({ Component: (await import("./DocsShell")).DocsShell }),
        children: [
          { path: "/guide", lazy: async () => ({ Component: (await import("../features/docs/GuidePage")).GuidePage }) },
          {
            path: "/guide/:page",
            lazy: async () => ({ Component: (await import("../features/docs/GuidePage")).GuidePage }),
          },
          { path: "/api", lazy: async () => ({ Component: (await import("../features/docs/ApiPage")).ApiPage }) },
        ],
      },
      {
        path: "/account",
        lazy: async () => ({ Component: (await import("./AccountShell")).AccountShell }),
        children: [
          { index: true, element: <Navigate to="/account/profile" replace /> },
          {
            errorElement: <PageBroken framed />,
            children: [
              { path: "profile", lazy: async () => ({ Component: (await people()).ProfilePage }) },
              { path: "second-factor", lazy: async () => ({ Component: (await people()).SecondFactorPage }) },
              { path: "passkeys", lazy: async () => ({ Component: (await people()).PasskeysPage }) },
              { path: "sessions", lazy: async () => ({ Component: (await people()).SessionsPage }) },
              { path: "connections", lazy: async () => ({ Component: (await people()).ConnectionsPage }) },
            ],
          },
        ],
      },
      {
        path: "/t/:slug",
        element: <Shell />,
        children: [
          {
            errorElement: <PageBroken framed />,
            children: [
              ...ORGANISATION_PAGES.map(({ path, load }) =>
                path === "" ? { index: true, lazy: load } : { path, lazy: load },
              ),
            ],
          },
        ],
      },
      { path: "*", loader: () => Promise.reject(new Response(null, { status: 404 })), element: null },
    ],
  },
]);
