import { useEffect, useRef } from "react";
import { Link } from "react-router";
import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";
import "swagger-ui-dist/swagger-ui.css";
import { PageHead } from "../../components/PageHead";
import { useTheme } from "../../lib/theme";
import { API_LAYOUT, apiLayout } from "./apiLayout";

const FILE = "/api/openapi.json";

/** The style sheet of the reference has a dark side of its own. */
function useItsTheme() {
  const theme = useTheme();
  useEffect(() => {
    document.documentElement.classList.toggle("dark-mode", theme === "dark");
    return () => document.documentElement.classList.remove("dark-mode");
  }, [theme]);
}

/** Every call of the API, from the OpenAPI file. Only what reads can be tried here: a page is no place to change by accident. */
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
        Everything that the pages do can be done here. Scripts send an access token,{" "}
        <code>Authorization: Bearer …</code>, which is made under “Access tokens”; <code>punctual</code> on the command
        line does it for you. What each part of a query means is in the <Link to="/guide">guide</Link>.
      </p>
      <div className="panel api-reference" ref={place} />
    </>
  );
}
