// Detects kernel file systems such as `/proc`.
import { statfsSync } from "node:fs";

/** Kernel file systems, by magic number (`linux/magic.h`). `/proc/self/environ` holds keys. */
const KERNEL = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x73636673, // securityfs
  0xf97cff8c, // selinuxfs
  0x62656570, // configfs
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
  0xcafe4a11, // bpf
  0xde5e81e4, // efivarfs
  0x6165676c, // pstore
  0x19800202, // mqueue
  0x1cd1, // devpts
  0x42494e4d, // binfmt_misc
  0x6e736673, // nsfs
]);

export function isOfKernel(at: string): boolean {
  // Some platforms return a signed number.
  return KERNEL.has(statfsSync(at).type >>> 0);
}
