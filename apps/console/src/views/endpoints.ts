/** The views of webhooks: one part, loaded when the first of them is shown. */
export { Endpoint } from './webhooks/endpoint.tsx';
export { Webhooks } from './webhooks/webhooks.tsx';
