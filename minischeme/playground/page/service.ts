// The service worker: keeps the page's files, so that later visits make no request, and carries typed lines.

import files from "./files.json";
import { INPUT } from "./protocol";

declare const self: ServiceWorkerGlobalScope;

const NAME = `minischeme-${files.version}`;
const PATIENCE = 20_000; // milliseconds until a request for a line is made again

self.addEventListener("install", (event) => {
  void self.skipWaiting();
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(files.shell)));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys()) if (name !== NAME) await caches.delete(name);
      await self.clients.claim();
    })(),
  );
});

/** A response with the headers that shared memory needs, which many servers do not send. */
function isolated(response: Response): Response {
  const headers = new Headers(response.headers);
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
  headers.set("Cross-Origin-Embedder-Policy", "require-corp");
  return new Response(response.body, { status: response.status, headers });
}

async function kept(request: Request): Promise<Response> {
  const cache = await caches.open(NAME);
  const found = await cache.match(request, { ignoreSearch: true });
  if (found !== undefined) return isolated(found);
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return isolated(response);
}

const waiting = new Map<string, (response: Response) => void>();
const typed = new Map<string, string>();

/** The line that answers a question, by the question's number; 202 to have the request made again. */
function line(question: string): Promise<Response> {
  return new Promise((resolve) => {
    const known = typed.get(question);
    typed.delete(question);
    if (known !== undefined) return resolve(new Response(known));
    waiting.set(question, resolve);
    setTimeout(() => {
      waiting.delete(question);
      resolve(new Response(null, { status: 202 }));
    }, PATIENCE);
  });
}

self.addEventListener("message", ({ data }: ExtendableMessageEvent) => {
  if (typeof data?.line !== "string") return;
  const resolve = waiting.get(data.question);
  if (resolve !== undefined) resolve(new Response(data.line));
  else typed.set(data.question, data.line);
  waiting.delete(data.question);
});

self.addEventListener("fetch", (event) => {
  const address = new URL(event.request.url);
  if (event.request.method !== "GET" || address.origin !== self.location.origin) return;
  if (address.pathname.endsWith(`/${INPUT}`)) event.respondWith(line(address.search.slice(1)));
  else if (!address.pathname.endsWith("/service.js")) event.respondWith(kept(event.request));
});
