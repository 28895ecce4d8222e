/** Every page and its address; pages are loaded when they are first opened. */

import { createBrowserRouter } from "react-router";
import { PageBroken } from "../components/ErrorBoundary";
import { Home } from "./Home";
import { Shell } from "./Shell";
import { SignIn } from "./SignIn";

export const router = createBrowserRouter([
  {
    errorElement: <PageBroken />,
    HydrateFallback: () => null,
    children: [
      { path: "/", element: <Home /> },
      { path: "/sign-in", element: <SignIn /> },
      {
        path: "/t/:slug",
        element: <Shell />,
        children: [
          { index: true, element: <Home /> },
          {
            errorElement: <PageBroken />,
            children: [
              { path: "streams", lazy: async () => ({ Component: (await import("../features/streams")).StreamsPage }) },
              {
                path: "streams/new",
                lazy: async () => ({ Component: (await import("../features/streams")).NewStreamPage }),
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
              { path: "runs", lazy: async () => ({ Component: (await import("../features/runs")).RunsPage }) },
              { path: "tokens", lazy: async () => ({ Component: (await import("../features/admin")).TokensPage }) },
              {
                path: "runs/:run",
                lazy: async () => ({ Component: (await import("../features/monitoring")).RunPage }),
              },
            ],
          },
        ],
      },
      { path: "*", loader: () => Promise.reject(new Response(null, { status: 404 })), element: null },
    ],
  },
]);
