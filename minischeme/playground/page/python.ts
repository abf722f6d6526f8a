// Python in its worker, as the page sees it: requests with answers, Stop, and a new start.

import {
  type Answer,
  ENDED,
  LENGTH,
  LINE,
  type Message,
  type Order,
  type Request,
  SHARED_BYTES,
  SIGINT,
  SIGNAL,
  STATE,
  STOPPED,
  TYPED,
} from "./protocol";

const PATIENCE = 3_000; // milliseconds until a program that ignores Stop is ended

export interface Listener {
  output(text: string): void;
  asked(): void;
}

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
    this.shared = this.isolated ? new SharedArrayBuffer(SHARED_BYTES) : null;
    const worker = new Worker("worker.js", { type: "module" });
    this.worker = worker;
    this.begun = new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<Message>) => {
        if (worker !== this.worker) return;
        if (data.kind === "ready") resolve(data.seconds);
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
    if (this.pending.size === 0 && this.shared !== null) Atomics.store(new Int32Array(this.shared), SIGNAL, 0);
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
      const bytes = new TextEncoder().encode(text).slice(0, SHARED_BYTES - LINE);
      new Uint8Array(this.shared).set(bytes, LINE);
      const cells = new Int32Array(this.shared);
      Atomics.store(cells, LENGTH, bytes.length);
      this.proceed(line === null ? ENDED : TYPED);
    }
    this.question = null;
  }

  private proceed(state: number): void {
    if (this.shared === null) return;
    const cells = new Int32Array(this.shared);
    Atomics.store(cells, STATE, state);
    Atomics.notify(cells, STATE);
  }

  /** Stop the program; a program that can't be stopped is ended with its definitions, which `fatal` then tells. */
  stop(): void {
    if (this.pending.size === 0) return;
    if (this.shared === null) {
      this.fail("stopped");
      return;
    }
    Atomics.store(new Int32Array(this.shared), SIGNAL, SIGINT);
    if (this.question !== null) this.proceed(STOPPED);
    this.question = null;
    const numbers = [...this.pending.keys()];
    setTimeout(() => {
      if (numbers.some((number) => this.pending.has(number))) this.fail("stopped");
    }, PATIENCE);
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
