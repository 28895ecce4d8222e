import { useEffect, useRef } from "react";
import { Link } from "react-router";
import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";
import "swagger-ui-dist/swagger-ui.css";
import { PageHead } from "../../components/page/PageHead";
import { useTheme } from "../../lib/browser/theme";
import { API_LAYOUT, apiLayout } from "./apiLayout";

const FILE = "/api/openapi.json";

/** The style sheet of the reference has its own dark mode. */
function useItsTheme() {
  const theme = useTheme();
  useEffect(() => {
    document.documentElement.classList.toggle("dark-mode", theme === "dark");
    return () => document.documentElement.classList.remove("dark-mode");
  }, [theme]);
}

/** All API calls, from the OpenAPI file. Only reads can be tried here, so that nobody changes anything by accident. */
export function ApiPage() {
  const place = useRef<HTMLDivElement | null>(null);
  useItsTheme();
  useEffect(() => {
    if (place.current === null) return;
    SwaggerUI({
      domNode: place.current,
      url: FILE,
      plugins: [apiLayout],
      layout: API_LAYOUT,
      docExpansion: "list",
      filter: true,
      defaultModelsExpandDepth: 0,
      supportedSubmitMethods: ["get"],
      validatorUrl: null,
    });
  }, []);
  return (
    <>
      <PageHead
        title="API"
        actions={
          <a className="button" href={FILE} download="punctual-openapi.json">
            OpenAPI file
          </a>
        }
      />
      <p>
        The API can do everything that the pages can do. Scripts send an access token,{" "}
        <code>Authorization: Bearer …</code>, created under “Access tokens”. The <code>punctual</code> command does this
        for you. The <Link to="/guide">guide</Link> explains each part of a query.
      </p>
      <div className="panel api-reference" ref={place} />
    </>
  );
}
