"use client";
import { useEffect, useState } from "react";
import { program } from "../program.mjs";

export default function Page() {
  const [words, setWords] = useState("running");
  useEffect(() => {
    program(JSON.parse(decodeURIComponent(location.hash.slice(1)))).then((report) => {
      Object.assign(globalThis, { report });
      setWords("done");
    });
  }, []);
  return <p>{words}</p>;
}
