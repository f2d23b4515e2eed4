// Recognises file systems such as `/proc` that show data of the kernel.
import { statfsSync } from "node:fs";

/** File systems that show the kernel's data: `/proc/self/environ` holds keys. By their numbers in `linux/magic.h`. */
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

/** Whether a path is on a file system of the kernel. */
export function isOfKernel(at: string): boolean {
  // Some platforms give the number with a sign.
  return KERNEL.has(statfsSync(at).type >>> 0);
}
