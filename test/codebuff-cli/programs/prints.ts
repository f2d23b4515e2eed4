// Writes what PRINTS says, and what SAYS says to its error output; ends with CODE.
const { PRINTS = "", SAYS = "", CODE = "0" } = process.env;
process.stdout.write(PRINTS);
process.stderr.write(SAYS);
process.exitCode = Number(CODE);
