import { columns } from '@pts/core/terminal';
import { readDelivered } from '@pts/db/estimates/lanes';
import { type Accuracy, backtest } from '@pts/service/estimates/backtest';
import { databaseCommand } from '../../command-line/database-command.ts';

const HEADING = ['CARRIER', 'DELIVERED', 'ESTIMATED', 'MAE (HOURS)', 'WITHIN WINDOW'];

export const carriersBacktest = databaseCommand({
  name: 'carriers backtest',
  takes: [],
  options: {},
  about:
    'Measure delivery estimates from history: estimates every stored delivered parcel from those delivered before it. The goal is 80 % within the window.',
  async run({ db }) {
    const accuracies = backtest(await readDelivered(db));
    const [all] = accuracies;
    return {
      lines: all?.parcels ? columns([HEADING, ...accuracies.map(rowOf)]) : ['There are no delivered parcels yet.'],
      json: { carriers: accuracies.map(view) },
    };
  },
});

function rowOf({ carrier, parcels, estimated, maeHours, coverage }: Accuracy): string[] {
  const percent = coverage === null ? '-' : `${Math.round(coverage * 100)} %`;
  return [carrier, String(parcels), String(estimated), maeHours?.toFixed(1) ?? '-', percent];
}

function view({ carrier, parcels, estimated, maeHours, coverage }: Accuracy) {
  return { courier_code: carrier, delivered: parcels, estimated, mae_hours: maeHours, coverage };
}
