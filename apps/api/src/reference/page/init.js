// Starts the reference. The API key that is typed in stays in this page's memory: it is gone when the page is.
const place = document.getElementById('reference');

try {
  const answer = await fetch('openapi.json', { cache: 'no-cache' });
  if (!answer.ok) throw new Error(`openapi.json answered ${answer.status}`);
  const spec = await answer.json();
  // Requests go to where this page comes from, by whatever name it was asked for.
  spec.servers = [{ url: new URL('api/v1', document.baseURI).href }];
  // What need not be sent stays empty: an example's cursor belongs to no account and would find nothing.
  for (const operation of Object.values(spec.paths).flatMap((path) => Object.values(path))) {
    for (const parameter of operation.parameters ?? []) if (!parameter.required) delete parameter.example;
  }
  globalThis.SwaggerUIBundle({
    spec,
    domNode: place,
    deepLinking: true,
    docExpansion: 'list',
    filter: true,
    defaultModelsExpandDepth: 0,
    defaultModelExpandDepth: 3,
    defaultModelRendering: 'example',
    displayRequestDuration: true,
    tryItOutEnabled: true,
    requestSnippetsEnabled: false,
    persistAuthorization: false,
    validatorUrl: null,
    queryConfigEnabled: false,
  });
} catch (error) {
  place.replaceChildren(`The reference could not be loaded: ${error.message}. Try again in a moment.`);
}
