import { freeText, id, instant, status } from '../common.ts';
import { createRequest } from './trackings.ts';

export const retrackById = { type: 'object', required: ['id'], properties: { id } } as const;

export const retrackRequest = {
  title: 'RetrackTarget',
  type: 'object',
  properties: {
    id,
    tracking_number: {
      ...createRequest.properties.tracking_number,
      description: 'The tracking number, instead of the id.',
    },
    courier_code: {
      ...freeText(40),
      description: 'The carrier; required if the number is registered with several.',
      examples: ['yto'],
    },
  },
} as const;

export const retrackResponse = {
  title: 'Retracked',
  type: 'object',
  required: ['id', 'status', 'retracked_at'],
  properties: {
    id,
    status,
    retracked_at: { ...instant, description: 'The current time. The next retrack is possible one hour later.' },
  },
} as const;
