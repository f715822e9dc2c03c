// Launch and machine files: their schemas for the YAML extension, if that is installed. Which file is one is seen from its
// keys, since it may have any name.
import * as vscode from 'vscode';
import { run } from './command';
import { executable, isLaunchFile, isMachineFile } from './settings';

interface YamlApi {
  registerContributor(id: string, requestSchema: (resource: string) => string | undefined, requestContent: (uri: string) => Promise<string> | string): void;
}

export function schemaFor(text: string): string | undefined {
  if (isLaunchFile(text)) return 'warptime:///launch';
  return isMachineFile(text) ? 'warptime:///machine' : undefined;
}

export async function registerSchemas(): Promise<void> {
  const yaml = vscode.extensions.getExtension('redhat.vscode-yaml');
  const api = (await yaml?.activate()) as YamlApi | undefined;
  api?.registerContributor(
    'warptime',
    (resource) => {
      const document = vscode.workspace.textDocuments.find((each) => each.uri.toString() === resource);
      return document && schemaFor(document.getText());
    },
    async (uri) => (await run(executable(), ['schema', uri.split('/').at(-1)!])).stdout,
  );
}
