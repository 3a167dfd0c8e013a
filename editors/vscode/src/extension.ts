// Starts `groundrules lsp` and carries out the commands that need a terminal or a picture. Everything else is the
// server's work.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";

const COMMANDS = ["groundrules.play", "groundrules.verify", "groundrules.network"];

let client: LanguageClient | undefined;
/** The program that is bundled with the extension, if it is. */
let bundled: string | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const name = process.platform === "win32" ? "groundrules.exe" : "groundrules";
  bundled = [context.asAbsolutePath(path.join("server", name))].find((file) => existsSync(file));
  context.subscriptions.push(
    vscode.commands.registerCommand("groundrules.play", (uri?: string) => inTerminal("play", uri)),
    vscode.commands.registerCommand("groundrules.verify", (uri?: string) => inTerminal("verify", uri)),
    vscode.commands.registerCommand("groundrules.network", (uri?: string) => showNetwork(uri)),
    vscode.commands.registerCommand("groundrules.studio", (uri?: string) => openStudio(uri)),
    vscode.commands.registerCommand("groundrules.restart", restart),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

/** The program: as it is set, or the one that is bundled in the folder `server`, or the one in PATH. */
function program(): string {
  return vscode.workspace.getConfiguration("groundrules").get<string>("path") || bundled || "groundrules";
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

/** Opens the studio, where the program has one. */
async function openStudio(uri?: string): Promise<void> {
  const known = await run(["studio", "--help"]);
  if (known.code !== 0) {
    void vscode.window.showInformationMessage("This version of groundrules has no studio.");
    return;
  }
  await inTerminal("studio", uri);
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
async function output(args: string[]): Promise<string> {
  const { code, out, error } = await run(args);
  return code === 0 ? out : `<pre>${escaped(error)}</pre>`;
}

/** Runs the program to its end. */
function run(args: string[]): Promise<{ code: number | null; out: string; error: string }> {
  return new Promise((resolve) => {
    const child = spawn(program(), args);
    let out = "";
    let error = "";
    child.stdout.on("data", (data) => (out += data));
    child.stderr.on("data", (data) => (error += data));
    child.on("error", (cause) => resolve({ code: null, out, error: String(cause) }));
    child.on("close", (code) => resolve({ code, out, error }));
  });
}

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
}
