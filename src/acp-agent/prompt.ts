// Pure: a prompt of the client, as a chat takes it.
import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { PromptImage, PromptInput } from "../core/turn/prompt-input.ts";
import { AcpRefusal } from "./refusal.ts";

/**
 * Links and embedded texts become part of the text, where the user has put them.
 * @throws AcpRefusal for a blank prompt, and for content that no chat takes
 */
export function promptFrom(blocks: readonly ContentBlock[], takesImages: boolean): PromptInput {
  let text = "";
  const images: PromptImage[] = [];
  for (const block of blocks) {
    switch (block.type) {
      case "text":
        text += block.text;
        break;
      case "resource_link":
        text += `[${block.name}](${block.uri})`;
        break;
      case "resource": {
        const { resource } = block;
        if (!("text" in resource))
          throw refused("an embedded file that is not text", "Link the file instead.");
        text += `\n<resource uri=${JSON.stringify(resource.uri)}>\n${resource.text}\n</resource>\n`;
        break;
      }
      case "image":
        if (!takesImages) throw refused("an image, and this agent takes none", "Leave it out.");
        images.push({ data: block.data, mediaType: block.mimeType });
        break;
      case "audio":
        throw refused("sound", "Write the words instead.");
      default:
        block satisfies never;
        throw refused("content of an unknown type", "Send text, images and resources.");
    }
  }
  if (text.trim() === "")
    throw new AcpRefusal("invalid", "The prompt has no text. Write what the agent is to do.");
  return images.length === 0 ? { text } : { text, images };
}

function refused(what: string, hint: string): AcpRefusal {
  return new AcpRefusal("invalid", `The prompt has ${what}. ${hint}`);
}
