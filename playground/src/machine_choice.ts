// The machine: its name, what is changed of it, and what the program says of the changes.
import type { Address } from './address';
import type { Catalog } from './catalog';
import { h, id } from './dom';
import { MachineForm } from './machine_form';
import type { Runner } from './runner';

export class MachineChoice {
  private readonly form: MachineForm;
  private readonly select = id<HTMLSelectElement>('machine');
  private address: Address | undefined;

  constructor(
    catalog: Catalog,
    private readonly checker: Runner,
    private readonly changed: () => void,
  ) {
    // The generic machine has no timing: there would be nothing to see.
    for (const { machine, what } of catalog.machines)
      if (machine !== 'generic') this.select.append(h('option', { value: machine, title: what }, machine));
    this.select.addEventListener('change', () => this.change((address) => (address.machine = this.select.value)));
    this.form = new MachineForm(catalog.machineSchema, (path, value) =>
      this.change((address) => {
        if (value === null) delete address.set[path];
        else address.set[path] = value;
      }),
    );
    id('machine-form').append(this.form.element);
  }

  show(address: Address): void {
    this.address = address;
    this.select.value = address.machine;
    void this.fill(address);
  }

  private change(make: (address: Address) => void): void {
    if (!this.address) return;
    make(this.address);
    void this.fill(this.address);
    this.changed();
  }

  private async fill({ machine, set }: Address): Promise<void> {
    const words = Object.entries(set).flatMap(([path, value]) => ['--set', `${path}=${value}`]);
    this.form.showChanges(set);
    id('machine-changes').textContent = words.length === 0 ? '' : ` (${words.length / 2} changed)`;
    const plain = await this.checker.run(['machine', 'show', machine, '--json']);
    if (plain.status === 0) {
      const { parameters } = JSON.parse(plain.out) as { parameters: Record<string, { value: unknown }> };
      this.form.showMachine(Object.fromEntries(Object.entries(parameters).map(([path, { value }]) => [path, value])));
    }
    const changed = words.length === 0 ? plain : await this.checker.run(['machine', 'show', machine, ...words, '--json']);
    this.form.showProblem(changed.status === 0 ? '' : changed.err);
  }
}
