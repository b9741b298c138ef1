import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import type { Express } from 'express';

/**
 * Classes of requests and responses that have Express's methods from the start, for `createServer`. Express 5.3.0
 * changes the prototype of each message (`app.handle`), and V8 reads and writes the properties of such an object
 * several times more slowly (docs/decisions/0031-message-classes.md). Here the message's class is the app's prototype
 * already, so nothing changes.
 */
export function createMessageClasses(app: Express): ServerOptions {
  class ApiRequest extends IncomingMessage {}
  class ApiResponse<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {}
  // The documented prototypes of this app. Express's own, which they inherit from, stay as they are.
  app.request = Object.setPrototypeOf(ApiRequest.prototype, app.request);
  app.response = Object.setPrototypeOf(ApiResponse.prototype, app.response);
  return { IncomingMessage: ApiRequest, ServerResponse: ApiResponse };
}
