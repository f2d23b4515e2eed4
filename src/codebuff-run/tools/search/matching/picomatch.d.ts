// Types for the package picomatch.

declare module "picomatch" {
  interface PicomatchOptions {
    readonly dot?: boolean;
    readonly nonegate?: boolean;
    readonly noextglob?: boolean;
    readonly posix?: boolean;
    readonly expandRange?: (from: string, to: string) => string;
  }
  interface Picomatch {
    (glob: string, options?: PicomatchOptions): (path: string) => boolean;
    scan(glob: string, options: { readonly parts: true }): { readonly parts?: readonly string[] };
  }
  const picomatch: Picomatch;
  export = picomatch;
}
