// The messages between the page and its worker.

export interface Failure {
  file: string;
  from: number;
  to: number;
  message: string;
  hint: string;
}

export interface Outcome {
  line: number;
  source: string;
  verdict: string;
  fails: boolean;
  difference: string;
  note: string;
}

export interface Question {
  name: string;
  passed: boolean;
  right: number;
  all: number;
  difference: string;
}

export interface Name {
  label: string;
  detail: string;
  info: string;
}

/** The answer to a request: of `Worker.handle` in worker.py. */
export interface Answer {
  unfinished?: boolean;
  stopped?: boolean;
  fatal?: string;
  transcript?: string;
  failure?: string;
  names?: Name[];
  outcomes?: Outcome[];
  questions?: Question[];
  written?: Record<string, string>;
  errors: Failure[];
}

export type Request = { do: string } & Record<string, unknown>;

/** The worker's messages. */
export type Message =
  | { kind: "ready"; seconds: number }
  | { kind: "output"; text: string }
  | { kind: "ask"; question: string }
  | { kind: "answer"; number: number; answer: Answer };

/** The page's messages; `shared` is there where the browser has memory that both can use. */
export type Order =
  | { kind: "begin"; shared: SharedArrayBuffer | null }
  | { kind: "request"; number: number; request: Request };

/** The cells of the shared memory, as 32-bit integers; the typed line follows them. */
export const SIGNAL = 0;
export const STATE = 1;
export const LENGTH = 2;
export const LINE = 12;
export const SHARED_BYTES = 1 << 16;

/** The states of a question of the program. */
export const WAITING = 0;
export const TYPED = 1;
export const ENDED = 2;
export const STOPPED = 3;

export const SIGINT = 2;
export const SIGALRM = 14;

/** The address, served by the service worker, where a line is asked for without shared memory. */
export const INPUT = "input-of-the-program";
