/** Every page and its address; pages are loaded when they are first opened. */

import { createBrowserRouter, Navigate, type RouteObject } from "react-router";
import { PageBroken } from "../components/ErrorBoundary";
import { Shell } from "./Shell";

const people = () => import("../features/account");
const home = async () => ({ Component: (await import("./Home")).Home });

/** The pages of who is not signed in yet. */
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
              {
                index: true,
                lazy: async () => ({ Component: (await import("../features/overview/OverviewPage")).OverviewPage }),
              },
              { path: "streams", lazy: async () => ({ Component: (await import("../features/streams")).StreamsPage }) },
              {
                path: "streams/new",
                lazy: async () => ({ Component: (await import("../features/streams")).NewStreamPage }),
              },
              {
                path: "streams/files",
                lazy: async () => ({ Component: (await import("../features/streams")).FilesPage }),
              },
              {
                path: "streams/:stream/edit",
                lazy: async () => ({ Component: (await import("../features/streams")).EditStreamPage }),
              },
              {
                path: "streams/:stream",
                lazy: async () => ({ Component: (await import("../features/streams")).StreamPage }),
              },
              {
                path: "queries",
                lazy: async () => ({ Component: (await import("../features/designer")).QueriesPage }),
              },
              {
                path: "queries/new",
                lazy: async () => ({ Component: (await import("../features/designer")).NewQueryPage }),
              },
              {
                path: "queries/:query",
                lazy: async () => ({ Component: (await import("../features/designer")).QueryPage }),
              },
              ...["adapters", "adapters/:direction", "adapters/:direction/:kind"].map((path) => ({
                path,
                lazy: async () => ({ Component: (await import("../features/docs/AdaptersPage")).AdaptersPage }),
              })),
              { path: "runs", lazy: async () => ({ Component: (await import("../features/runs")).RunsPage }) },
              {
                path: "bindings/:binding",
                lazy: async () => ({ Component: (await import("../features/runs")).BindingPage }),
              },
              { path: "tokens", lazy: async () => ({ Component: (await import("../features/admin")).TokensPage }) },
              { path: "admin/*", lazy: async () => ({ Component: (await import("../features/admin")).AdminPages }) },
              {
                path: "runs/:run",
                lazy: async () => ({ Component: (await import("../features/monitoring")).RunPage }),
              },
              {
                path: "runs/:run/logs",
                lazy: async () => ({ Component: (await import("../features/monitoring/LogPage")).LogPage }),
              },
            ],
          },
        ],
      },
      { path: "*", loader: () => Promise.reject(new Response(null, { status: 404 })), element: null },
    ],
  },
]);
