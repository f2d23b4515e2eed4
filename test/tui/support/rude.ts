// Does to its terminal what no program should, for the test of the instruments, and dies.
import { spawn } from "node:child_process";

const ESC = "\u001b";

spawn("sleep", ["3600"], { detached: true, stdio: "ignore" });
process.stdin.setRawMode(true);
process.stdout.write(
  [
    `${ESC}[2J`,
    `${ESC}[H${ESC}[J`,
    `${ESC}[?2026h${ESC}[31mred${ESC}[39m${ESC}[?2026l`,
    `${ESC}]0;title\u0007`,
    `${ESC}[?25l${ESC}[?2004h${ESC}[?1000h${ESC}[?1049h`,
  ].join(""),
  () => process.kill(process.pid, "SIGKILL"),
);
