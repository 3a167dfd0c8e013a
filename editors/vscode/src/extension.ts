// Starts `groundrules lsp` and carries out the commands that need a terminal or a picture. Everything else is the
// server's work.

import { spawn } from "node:child_process";
import * as path from "node:path";
import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";

const COMMANDS = ["groundrules.play", "groundrules.verify", "groundrules.network"];

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand("groundrules.play", (uri?: string) => inTerminal("play", uri)),
    vscode.commands.registerCommand("groundrules.verify", (uri?: string) => inTerminal("verify", uri)),
    vscode.commands.registerCommand("groundrules.network", (uri?: string) => showNetwork(uri)),
    vscode.commands.registerCommand("groundrules.restart", restart),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

/** The program: as it is set, or the one that is bundled beside this file, or the one in PATH. */
function program(): string {
  return vscode.workspace.getConfiguration("groundrules").get<string>("path") || "groundrules";
}

async function start(): Promise<void> {
  const settings = vscode.workspace.getConfiguration("groundrules");
  const server: ServerOptions = { command: program(), args: ["lsp"] };
  const options: LanguageClientOptions = {
    documentSelector: [{ language: "gdl" }],
    initializationOptions: {
      instanceHints: settings.get("instanceHints"),
      domainHints: settings.get("domainHints"),
      lenses: settings.get("lenses"),
      background: settings.get("background"),
      backgroundSeconds: settings.get("backgroundSeconds"),
      commands: COMMANDS,
    },
  };
  client = new LanguageClient("groundrules", "Groundrules", server, options);
  try {
    await client.start();
  } catch (error) {
    const message = `The language server did not start: ${error}. Is \`${program()}\` installed? See the setting groundrules.path.`;
    void vscode.window.showErrorMessage(message);
  }
}

async function restart(): Promise<void> {
  await client?.stop();
  await start();
}

/** The saved file that a command is about: its argument, or the file in the editor. */
async function file(uri?: string): Promise<string | undefined> {
  const target = uri ? vscode.Uri.parse(uri) : vscode.window.activeTextEditor?.document.uri;
  if (!target || target.scheme !== "file") {
    void vscode.window.showInformationMessage("Save the description to a file first.");
    return undefined;
  }
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === target.toString());
  if (open?.isDirty) {
    await open.save();
  }
  return target.fsPath;
}

async function inTerminal(command: string, uri?: string): Promise<void> {
  const name = await file(uri);
  if (name) {
    // The arguments go to the program as they are: no shell reads the name of the file.
    const title = `${command} ${path.basename(name)}`;
    vscode.window.createTerminal({ name: title, shellPath: program(), shellArgs: [command, name] }).show();
  }
}

async function showNetwork(uri?: string): Promise<void> {
  const name = await file(uri);
  if (!name) {
    return;
  }
  const picture = await output(["net", name, "--format", "svg"]);
  const panel = vscode.window.createWebviewPanel("groundrulesNetwork", path.basename(name), vscode.ViewColumn.Beside, {});
  panel.webview.html = `<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><body style="background:white">${picture}</body>`;
}

/** What the program writes to standard output, or its error as a text. */
function output(args: string[]): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(program(), args);
    let out = "";
    let error = "";
    child.stdout.on("data", (data) => (out += data));
    child.stderr.on("data", (data) => (error += data));
    child.on("error", (cause) => resolve(`<pre>${escaped(String(cause))}</pre>`));
    child.on("close", (code) => resolve(code === 0 ? out : `<pre>${escaped(error)}</pre>`));
  });
}

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
}
