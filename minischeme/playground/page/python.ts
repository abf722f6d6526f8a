// Python in its worker, as the page sees it: requests with answers, Stop, and a new start.

import { type Answer, type Message, type Order, type Request, SHARED, SIGNAL, STATE } from "./protocol";

const AGAIN = 700; // milliseconds until a signal that was swallowed, as by a finalizer, is sent again
const PATIENCE = 5_000; // milliseconds until a program that ignores Stop is ended

export type Listener = { output(text: string): void; asked(): void };

export class Python {
  private worker: Worker | null = null;
  private shared: SharedArrayBuffer | null = null;
  private pending = new Map<number, (answer: Answer) => void>();
  private number = 0;
  private question: string | null = null;
  private begun: Promise<number> = Promise.resolve(0);

  constructor(private readonly listener: Listener) {}

  /** Whether Stop leaves definitions alone. */
  get isolated(): boolean {
    return globalThis.crossOriginIsolated === true && typeof SharedArrayBuffer === "function";
  }

  /** Start, or start again; the seconds until Python was ready. */
  start(): Promise<number> {
    this.end();
    this.shared = this.isolated ? new SharedArrayBuffer(SHARED.bytes) : null;
    const worker = new Worker("worker.js", { type: "module" });
    this.worker = worker;
    this.begun = new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<Message>) => {
        if (worker !== this.worker) return;
        if (data.kind === "ready" && data.failure !== undefined) reject(new Error(data.failure));
        else if (data.kind === "ready") resolve(data.seconds);
        else this.receive(data);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        reject(new Error(event.message ?? "the worker could not start"));
        this.fail(String(event.message ?? "the worker died"));
      };
    });
    this.post({ kind: "begin", shared: this.shared });
    return this.begun;
  }

  private post(order: Order): void {
    this.worker?.postMessage(order);
  }

  private receive(message: Message): void {
    if (message.kind === "output") this.listener.output(message.text);
    else if (message.kind === "ask") {
      this.question = message.question;
      this.listener.asked();
    } else if (message.kind === "answer") {
      this.pending.get(message.number)?.(message.answer);
      this.pending.delete(message.number);
    }
  }

  async request(request: Request): Promise<Answer> {
    await this.begun;
    this.number += 1;
    const number = this.number;
    if (this.pending.size === 0 && this.shared !== null) Atomics.store(new Int32Array(this.shared), SHARED.signal, 0);
    return new Promise((resolve) => {
      this.pending.set(number, resolve);
      this.post({ kind: "request", number, request });
    });
  }

  /** Answer the program's question; null ends the input. */
  answer(line: string | null): void {
    const text = line === null ? "" : `${line}\n`;
    if (this.shared === null) {
      navigator.serviceWorker?.controller?.postMessage({ question: this.question, line: text });
    } else {
      const bytes = new TextEncoder().encode(text).slice(0, SHARED.bytes - SHARED.line);
      new Uint8Array(this.shared).set(bytes, SHARED.line);
      const cells = new Int32Array(this.shared);
      Atomics.store(cells, SHARED.length, bytes.length);
      this.proceed(line === null ? STATE.ended : STATE.typed);
    }
    this.question = null;
  }

  private proceed(state: number): void {
    if (this.shared === null) return;
    const cells = new Int32Array(this.shared);
    Atomics.store(cells, SHARED.state, state);
    Atomics.notify(cells, SHARED.state);
  }

  /** Stop the program; a program that can't be stopped is ended with its definitions, which `fatal` then tells. */
  stop(): void {
    if (this.pending.size === 0) return;
    if (this.shared === null) {
      this.fail("stopped");
      return;
    }
    const cells = new Int32Array(this.shared);
    Atomics.store(cells, SHARED.signal, SIGNAL.interrupt);
    if (this.question !== null) this.proceed(STATE.stopped);
    this.question = null;
    const numbers = [...this.pending.keys()];
    const began = performance.now();
    const timer = setInterval(() => {
      const isOver = !numbers.some((number) => this.pending.has(number));
      if (isOver || performance.now() - began > PATIENCE) clearInterval(timer);
      if (isOver) return;
      if (performance.now() - began > PATIENCE) this.fail("stopped");
      else Atomics.store(cells, SHARED.signal, SIGNAL.interrupt);
    }, AGAIN);
  }

  private fail(reason: string): void {
    const waiting = [...this.pending.values()];
    this.pending.clear();
    this.end();
    for (const resolve of waiting) resolve({ fatal: reason, errors: [] });
  }

  private end(): void {
    this.worker?.terminate();
    this.worker = null;
    this.question = null;
  }
}
